;; Takes and uses connections by each of a thousand descriptors; if it may, it traps, and else it ends.
;; gets: closed
(module
  (import "wasi_snapshot_preview1" "sock_accept" (func $sock_accept (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_send" (func $sock_send (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_recv" (func $sock_recv (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_shutdown" (func $sock_shutdown (param i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (local $fd i32)
    (loop $next
      (if (i32.eqz (call $sock_accept (local.get $fd) (i32.const 0) (i32.const 600))) (then unreachable))
      (if (i32.eqz (call $sock_send (local.get $fd) (i32.const 512) (i32.const 1) (i32.const 0) (i32.const 600)))
        (then unreachable))
      (if (i32.eqz (call $sock_recv (local.get $fd) (i32.const 512) (i32.const 1) (i32.const 0) (i32.const 600) (i32.const 604)))
        (then unreachable))
      (if (i32.eqz (call $sock_shutdown (local.get $fd) (i32.const 3))) (then unreachable))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $fd) (i32.const 1000))))))
