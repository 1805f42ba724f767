;; Begins with more memory than a bot may have.
;; refused: bytes of memory; a bot may have
(module
  (memory (export "memory") 65536)
  (func (export "_start")
    ))
