;; Exports no memory, so that nothing could be read or written.
;; refused: exports no memory
(module
  (func (export "_start")
    ))
