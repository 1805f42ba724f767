;; Calls itself for ever in the place of a return, which takes no stack.
;; gets: late
(module
  (memory (export "memory") 2)
  (func $ever (return_call $ever))
  (func (export "_start")
    (call $ever)))
