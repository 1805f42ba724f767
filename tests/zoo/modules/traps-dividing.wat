;; Divides by zero.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (global $zero (mut i32) (i32.const 0))
  (func (export "_start")
    (drop (i32.div_s (i32.const 1) (global.get $zero)))))
