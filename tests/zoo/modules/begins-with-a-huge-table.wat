;; Begins with a table of a thousand million elements.
;; refused: is refused by the engine
(module
  (memory (export "memory") 2)
  (table 1000000000 funcref)
  (func (export "_start")
    ))
