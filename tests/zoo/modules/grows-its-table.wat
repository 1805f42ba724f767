;; Takes a thousand elements of a table at a time, until there are none; then it traps.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (table $t 0 funcref)
  (func (export "_start")
    (loop $more
      (if (i32.eq (i32.const -1) (table.grow $t (ref.null func) (i32.const 1000))) (then unreachable))
      (br $more))))
