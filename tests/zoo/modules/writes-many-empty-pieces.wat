;; Writes 32 million pieces of nothing in one call, again and again.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (drop (memory.grow (i32.const 4090)))
    (loop $ever
      (drop (call $fd_write (i32.const 1) (i32.const 65536) (i32.const 32000000) (i32.const 8)))
      (br $ever))))
