;; Has data that do not fit its memory.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (data (i32.const 131070) "outside")
  (func (export "_start")
    ))
