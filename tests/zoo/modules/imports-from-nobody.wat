;; Imports what nobody provides.
;; refused: imports env::steal
(module
  (import "env" "steal" (func))
  (memory (export "memory") 2)
  (func (export "_start")
    ))
