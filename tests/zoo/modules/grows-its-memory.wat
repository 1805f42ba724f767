;; Takes memory a page at a time and writes into each, until there is none; then it traps.
;; gets: memory
(module
  (memory (export "memory") 2)
  (func (export "_start")
    (local $had i32)
    (loop $more
      (local.set $had (memory.grow (i32.const 1)))
      (if (i32.eq (local.get $had) (i32.const -1)) (then unreachable))
      (i64.store (i32.mul (local.get $had) (i32.const 65536)) (i64.const 1))
      (br $more))))
