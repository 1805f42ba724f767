;; Reads, and reads on, and never answers: nobody waits for its deadline.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func $read (result i32) ;; the length of what came, to 4096; 0 at the end
    (i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 60000))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load (i32.const 8)))
  (func (export "_start")
    (loop $more (br_if $more (call $read)))))
