;; Exits with code 3 before its first answer.
;; gets: closed
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (call $proc_exit (i32.const 3))))
