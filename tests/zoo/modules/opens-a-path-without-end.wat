;; Opens a path of 250 MiB, again and again.
;; gets: late
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start")
    (drop (memory.grow (i32.const 4090)))
    (loop $ever
      (if (i32.eqz (call $path_open (i32.const 3) (i32.const 1) (i32.const 65536) (i32.const 262144000) (i32.const 0)
            (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 1024)))
        (then unreachable))
      (br $ever))))
