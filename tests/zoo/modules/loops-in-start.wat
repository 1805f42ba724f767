;; A start function that never ends: it loops before the module is asked for anything.
;; gets: late
(module
  (memory (export "memory") 2)
  (func (export "_start")
    )
  (func $begin (loop $ever (br $ever)))
  (start $begin))
