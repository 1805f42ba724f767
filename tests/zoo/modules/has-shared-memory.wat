;; Wants memory that threads share.
;; refused: is refused by the engine
(module
  (memory (export "memory") 1 1 shared)
  (func (export "_start")
    ))
