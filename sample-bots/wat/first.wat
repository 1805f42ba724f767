;; A bot that always plays the first legal action, written by hand in WebAssembly text.
;;
;; How to read this: everything is a list in brackets, and the innermost bracket happens first.
;; (local.set $x (i32.add (local.get $x) (i32.const 1))) is x = x + 1. There are only numbers; a
;; text is a stretch of memory, given by the number where it begins and its length.
;;
;; The bot is a WASI command: the referee gives it the functions it imports, calls `_start`, and
;; the match is over for it when `_start` returns. It speaks JSON lines without understanding JSON:
;; the referee promises how a line begins.
;;
;;   {"type":"hello",…                              byte 9 of a line tells its type: h, t or o
;;   {"type":"turn","id":17,"actions":["a1-a2",…    the id begins at byte 20
;;   {"type":"over",…                               needs no answer
(module
  ;; Both read or write file 0 (input) or 1 (output), by a list of stretches of memory, and store
  ;; how many bytes they moved. They may move fewer than there are.
  (import "wasi_snapshot_preview1" "fd_read"
    (func $fd_read (param $file i32) (param $list i32) (param $count i32) (param $moved i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param $file i32) (param $list i32) (param $count i32) (param $moved i32) (result i32)))

  ;; Two pages of 64 KiB to begin with. What is where:
  ;;      0  a list with one stretch: where it begins, and at 4 its length
  ;;      8  how many bytes were moved
  ;;     64  the texts below
  ;;    256  the answer while it is put together
  ;;  65536  the input
  (memory (export "memory") 2)
  (data (i32.const 64) "{\"type\":\"ready\",\"name\":\"first\",\"version\":\"1\",\"actions\":true,\"reuse\":true}\n") ;; 74 bytes
  (data (i32.const 160) "{\"type\":\"act\",\"id\":") ;; 19 bytes
  (data (i32.const 192) ",\"action\":\"") ;; 11 bytes
  (data (i32.const 208) "\"}\n") ;; 3 bytes

  (global $line (mut i32) (i32.const 65536)) ;; where the line begins that is being looked at
  (global $end (mut i32) (i32.const 65536))  ;; where the input that has been read ends
  (global $out (mut i32) (i32.const 256))    ;; where the answer ends

  ;; Reads some more input; gives 0 if there is none.
  (func $read_more (result i32)
    ;; With less than a page of room, ask for another page.
    (if (i32.lt_u (i32.sub (i32.mul (memory.size) (i32.const 65536)) (global.get $end)) (i32.const 65536))
      (then (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))))
    (i32.store (i32.const 0) (global.get $end))
    (i32.store (i32.const 4) (i32.const 65536))
    (if (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
    (global.set $end (i32.add (global.get $end) (i32.load (i32.const 8))))
    (i32.load (i32.const 8)))

  ;; Writes a stretch of memory to the output, in as many steps as it takes.
  (func $write (param $from i32) (param $length i32)
    (loop $again
      (i32.store (i32.const 0) (local.get $from))
      (i32.store (i32.const 4) (local.get $length))
      (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
      (local.set $from (i32.add (local.get $from) (i32.load (i32.const 8))))
      (local.set $length (i32.sub (local.get $length) (i32.load (i32.const 8))))
      (br_if $again (local.get $length))))

  ;; Appends a stretch of memory to the answer.
  (func $append (param $from i32) (param $length i32)
    (memory.copy (global.get $out) (local.get $from) (local.get $length))
    (global.set $out (i32.add (global.get $out) (local.get $length))))

  ;; Finds a byte: gives the place of the first one from $at on.
  (func $find (param $at i32) (param $byte i32) (result i32)
    (loop $next
      (if (i32.ne (i32.load8_u (local.get $at)) (local.get $byte))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (local.get $at))

  ;; Answers a turn with its id and its first action.
  (func $act (local $from i32) (local $to i32)
    (global.set $out (i32.const 256))
    (call $append (i32.const 160) (i32.const 19))
    ;; The id: from byte 20 to the comma.
    (local.set $from (i32.add (global.get $line) (i32.const 20)))
    (local.set $to (call $find (local.get $from) (i32.const 0x2c))) ;; ,
    (call $append (local.get $from) (i32.sub (local.get $to) (local.get $from)))
    (call $append (i32.const 192) (i32.const 11))
    ;; The action: what follows ,"actions":[" which is 13 bytes long, up to the next quote.
    (local.set $from (i32.add (local.get $to) (i32.const 13)))
    (local.set $to (call $find (local.get $from) (i32.const 0x22))) ;; "
    (call $append (local.get $from) (i32.sub (local.get $to) (local.get $from)))
    (call $append (i32.const 208) (i32.const 3))
    (call $write (i32.const 256) (i32.sub (global.get $out) (i32.const 256))))

  ;; Answers the line from $line on, as its type asks for.
  (func $answer (local $type i32)
    (local.set $type (i32.load8_u (i32.add (global.get $line) (i32.const 9))))
    (if (i32.eq (local.get $type) (i32.const 0x68)) ;; h
      (then (call $write (i32.const 64) (i32.const 74))))
    (if (i32.eq (local.get $type) (i32.const 0x74)) ;; t
      (then (call $act))))

  ;; Goes over the input byte by byte, and answers when a line has ended.
  (func (export "_start") (local $at i32)
    (local.set $at (global.get $line))
    (loop $next
      ;; Nothing left to look at: read more, or stop at the end of the input.
      (if (i32.eq (local.get $at) (global.get $end))
        (then (if (i32.eqz (call $read_more)) (then return))))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x0a)) ;; newline
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
      (call $answer)
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      ;; All lines answered: the next one may take the place of the last.
      (if (i32.eq (local.get $at) (global.get $end))
        (then
          (local.set $at (i32.const 65536))
          (global.set $end (local.get $at))))
      (global.set $line (local.get $at))
      (br $next))))
