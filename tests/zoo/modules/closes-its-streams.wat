;; Closes its output and its input, and loops.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "fd_close" (func $fd_close (param i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (drop (call $fd_close (i32.const 1)))
    (drop (call $fd_close (i32.const 0)))
    (loop $ever (br $ever))))
