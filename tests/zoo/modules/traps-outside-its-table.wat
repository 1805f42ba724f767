;; Calls an element that its table does not have.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (type $nothing (func))
  (table 1 funcref)
  (func (export "_start")
    (call_indirect (type $nothing) (i32.const 7))))
