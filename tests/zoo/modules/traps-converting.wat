;; Makes a whole number of none.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (global $nan (mut f64) (f64.const nan))
  (func (export "_start")
    (drop (i32.trunc_f64_s (global.get $nan)))))
