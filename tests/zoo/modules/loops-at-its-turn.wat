;; Says that it is ready, and loops when it is asked for an action.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 512) "{\"type\":\"ready\"}\n")
  (func $read (result i32) ;; the length of what came, to 4096; 0 at the end
    (i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 60000))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load (i32.const 8)))
  (func $say (param $to i32) (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (local.get $to) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (drop (call $read))
    (call $say (i32.const 1) (i32.const 512) (i32.const 17))
    (drop (call $read))
    (loop $ever (br $ever))))
