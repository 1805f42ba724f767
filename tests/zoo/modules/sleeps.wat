;; Sleeps for a year, again and again: no time passes but its own.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    ;; a clock, and in how many nanoseconds
    (i32.store (i32.const 1016) (i32.const 1))
    (i64.store (i32.const 1024) (i64.const 31536000000000000))
    (loop $ever
      (if (call $poll_oneoff (i32.const 1000) (i32.const 2000) (i32.const 1) (i32.const 3000)) (then unreachable))
      (br $ever))))
