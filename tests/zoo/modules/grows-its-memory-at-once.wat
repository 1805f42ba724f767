;; Wants all the memory that 32 bits can address, and traps when it is refused.
;; gets: memory
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (if (i32.eq (memory.grow (i32.const 65534)) (i32.const -1)) (then unreachable))
    (loop $ever (br $ever))))
