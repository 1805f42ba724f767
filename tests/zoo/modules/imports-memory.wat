;; Imports the memory of somebody else.
;; refused: imports env::memory
(module
  (import "env" "memory" (memory 1))
  (export "memory" (memory 0))
  (func (export "_start")
    ))
