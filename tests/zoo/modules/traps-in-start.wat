;; Traps in its start function.
;; gets: crashed
(module
  (memory (export "memory") 2)
  (func (export "_start")
    )
  (func $begin unreachable)
  (start $begin))
