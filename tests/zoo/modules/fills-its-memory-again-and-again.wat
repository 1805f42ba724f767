;; Takes all the memory there is and fills it in single instructions, which cannot be interrupted.
;; gets: late
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (local $pages i32)
    (local.set $pages (i32.const 4090))
    (drop (memory.grow (local.get $pages)))
    (loop $ever
      (memory.fill (i32.const 0) (i32.const 1) (i32.mul (memory.size) (i32.const 65536)))
      (br $ever))))
