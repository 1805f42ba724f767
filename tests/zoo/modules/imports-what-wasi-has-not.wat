;; Imports a function that WASI does not have.
;; refused: imports wasi_snapshot_preview1::fork
(module
  (import "wasi_snapshot_preview1" "fork" (func (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    ))
