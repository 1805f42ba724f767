;; Wants more memory for ever, though it is refused.
;; gets: late
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (loop $ever (drop (memory.grow (i32.const 1))) (br $ever))))
