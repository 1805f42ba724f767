;; Answers every line with the same short line.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 0) "\20\00\00\00\24\00\00\00") ;; what is written: 36 bytes at 32
  (data (i32.const 8) "\00\00\01\00\00\00\01\00") ;; where is read to: 64 KiB at 64 KiB
  (data (i32.const 32) "{\22type\22:\22act\22,\22id\22:1,\22action\22:\22a1\22}\0a")
  (func (export "_start")
    (local $length i32)
    (loop $next
      (br_if 1 (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 16)))
      (local.set $length (i32.load (i32.const 16)))
      (br_if 1 (i32.eqz (local.get $length)))
      ;; A part of a line is not answered.
      (br_if $next (i32.ne (i32.const 10)
        (i32.load8_u (i32.add (i32.const 65535) (local.get $length)))))
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br $next))))
