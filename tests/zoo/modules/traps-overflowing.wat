;; Divides the least number by minus one.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (global $one (mut i32) (i32.const -1))
  (func (export "_start")
    (drop (i32.div_s (i32.const 0x80000000) (global.get $one)))))
