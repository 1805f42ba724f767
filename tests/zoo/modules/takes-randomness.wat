;; Takes random bytes for ever.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (loop $ever (drop (call $random_get (i32.const 0) (i32.const 65536))) (br $ever))))
