;; Looks for an environment and for open folders; if there are any, it traps, and else it ends.
;; gets: closed
(module
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $fd_prestat_get (param i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (local $fd i32)
    (drop (call $environ_sizes_get (i32.const 512) (i32.const 516)))
    (if (i32.load (i32.const 512)) (then unreachable))
    (loop $next
      (if (i32.eqz (call $fd_prestat_get (local.get $fd) (i32.const 600))) (then unreachable))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $fd) (i32.const 1000))))))
