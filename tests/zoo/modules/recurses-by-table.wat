;; Calls itself through a table without end.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (type $deep (func (param i64) (result i64)))
  (table 1 funcref)
  (elem (i32.const 0) $deep)
  (func $deep (type $deep)
    (i64.add (i64.const 1) (call_indirect (type $deep) (local.get 0) (i32.const 0))))
  (func (export "_start")
    (drop (call $deep (i64.const 1)))))
