;; Makes its error stream its output, writes there that it is ready, and ends.
;; gets: closed
(module
  (import "wasi_snapshot_preview1" "fd_renumber" (func $fd_renumber (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 512) "{\"type\":\"ready\"}\n")
  (func $say (param $to i32) (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $length))
    (drop (call $fd_write (local.get $to) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (drop (call $fd_renumber (i32.const 2) (i32.const 1)))
    (call $say (i32.const 1) (i32.const 512) (i32.const 17))))
