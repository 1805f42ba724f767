;; Has more tables than a module may.
;; refused: is refused by the engine
(module
  (memory (export "memory") 2)
  (table 1 funcref)
  (table 1 funcref)
  (table 1 funcref)
  (table 1 funcref)
  (table 1 funcref)
  (func (export "_start")
    ))
