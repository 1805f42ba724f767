;; Has more memories than a module may.
;; refused: is refused by the engine
(module
  (memory (export "memory") 2)
  (memory 1)
  (func (export "_start")
    ))
