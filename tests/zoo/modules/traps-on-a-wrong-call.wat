;; Calls a function as if it had other parameters.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (type $other (func (param i64)))
  (table 1 funcref)
  (elem (i32.const 0) $plain)
  (func $plain)
  (func (export "_start")
    (call_indirect (type $other) (i64.const 1) (i32.const 0))))
