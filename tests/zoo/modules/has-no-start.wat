;; Has no function that could be called.
;; refused: has no function _start
(module
  (memory (export "memory") 2))
