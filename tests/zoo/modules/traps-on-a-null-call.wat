;; Calls an element of its table that is no function.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (type $nothing (func))
  (table 1 funcref)
  (func (export "_start")
    (call_indirect (type $nothing) (i32.const 0))))
