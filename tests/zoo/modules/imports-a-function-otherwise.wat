;; Imports a function of WASI with other parameters.
;; refused: fd_write
(module
  (import "wasi_snapshot_preview1" "fd_write" (func (param i64)))
  (memory (export "memory") 2)
  (func (export "_start")
    ))
