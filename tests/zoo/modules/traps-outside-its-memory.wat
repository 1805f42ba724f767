;; Writes where no memory of its own is.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (i64.store (i32.const -1) (i64.const 1))))
