;; Loops for ever without a call.
;; gets: late
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (loop $ever (br $ever))))
