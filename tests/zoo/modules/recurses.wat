;; Calls itself without end.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (func $deep (param i64) (result i64)
    (i64.add (i64.const 1) (call $deep (local.get 0))))
  (func (export "_start")
    (drop (call $deep (i64.const 1)))))
