;; Comes where it said that it never comes.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (func (export "_start")
    unreachable))
