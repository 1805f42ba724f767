;; Opens /etc/shadow by each of a thousand descriptors; if it may, it traps, and else it ends.
;; gets: closed
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 512) "/etc/shadow")
  (func (export "_start")
    (local $fd i32)
    (loop $next
      (if (i32.eqz (call $path_open (local.get $fd) (i32.const 1) (i32.const 512) (i32.const 11) (i32.const 0)
            (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 1024)))
        (then unreachable))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $fd) (i32.const 1000))))))
