;; A bot that plays a random legal action with as little work as can be: `flipside-bench` measures
;; the arena with it, and not the bot. To learn from, first.wat is the better example.
;;
;; It relies on how the referee's lines are written:
;;
;;   {"type":"hello",…,"seed":7}                    byte 9 tells the type; the seed comes last
;;   {"type":"turn","id":17,"actions":["a1-a2",…]   the id begins at byte 20; no "]" in an action
;;   {"type":"over",…
;;
;; Memory: 0 the list for reading and writing, 8 how many bytes were moved, 64 the texts, 256 the
;; answer, 65536 the input.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 64) "{\"type\":\"ready\",\"name\":\"instant\",\"version\":\"1\",\"actions\":true,\"reuse\":true}\n") ;; 76 bytes
  (data (i32.const 256) "{\"type\":\"act\",\"id\":") ;; 19 bytes: every answer begins so
  (data (i32.const 192) ",\"action\":\"") ;; 11 bytes

  (global $state (mut i64) (i64.const 0))    ;; of the random numbers
  (global $line (mut i32) (i32.const 65536)) ;; where the present line begins
  (global $stop (mut i32) (i32.const 65536)) ;; where its newline is
  (global $end (mut i32) (i32.const 65536))  ;; where the input ends

  ;; Reads what there is; gives 0 at the end of the input. A load of 16 bytes may go beyond the
  ;; input, so there is always a page left behind it.
  (func $read_more (result i32)
    (if (i32.gt_u (i32.add (global.get $end) (i32.const 131072)) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))))
    (i32.store (i32.const 0) (global.get $end))
    (i32.store (i32.const 4) (i32.const 65536))
    (if (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
    (global.set $end (i32.add (global.get $end) (i32.load (i32.const 8))))
    (i32.load (i32.const 8)))

  (func $write (param $from i32) (param $length i32)
    (loop $again
      (i32.store (i32.const 0) (local.get $from))
      (i32.store (i32.const 4) (local.get $length))
      (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
      (local.set $from (i32.add (local.get $from) (i32.load (i32.const 8))))
      (local.set $length (i32.sub (local.get $length) (i32.load (i32.const 8))))
      (br_if $again (local.get $length))))

  ;; A number from 0 to $bound - 1, from a linear congruential generator (Knuth's MMIX).
  (func $below (param $bound i32) (result i32)
    (global.set $state (i64.add
      (i64.mul (global.get $state) (i64.const 6364136223846793005))
      (i64.const 1442695040888963407)))
    (i32.wrap_i64 (i64.shr_u
      (i64.mul (i64.shr_u (global.get $state) (i64.const 32)) (i64.extend_i32_u (local.get $bound)))
      (i64.const 32))))

  ;; One bit for each of the 16 bytes from $at on: whether it is $byte.
  (func $which (param $at i32) (param $byte i32) (result i32)
    (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (i8x16.splat (local.get $byte)))))

  ;; Takes the seed from the end of a hello: all digits before the last bracket, last digit first.
  (func $seed (local $at i32) (local $byte i32)
    (local.set $at (i32.sub (global.get $stop) (i32.const 2)))
    (global.set $state (i64.const 0))
    (loop $next
      (local.set $byte (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)))
      (if (i32.lt_u (local.get $byte) (i32.const 10))
        (then
          (global.set $state (i64.add
            (i64.mul (global.get $state) (i64.const 10))
            (i64.extend_i32_u (local.get $byte))))
          (local.set $at (i32.sub (local.get $at) (i32.const 1)))
          (br $next)))))

  ;; Answers a turn.
  (func $act
    (local $from i32) (local $at i32) (local $out i32) (local $quotes i32) (local $bits i32) (local $ends i32)
    ;; Copies the id, up to the comma.
    (local.set $at (i32.add (global.get $line) (i32.const 20)))
    (local.set $out (i32.const 275))
    (loop $digit
      (i32.store8 (local.get $out) (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $out (i32.add (local.get $out) (i32.const 1)))
      (br_if $digit (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x2c)))) ;; ,
    (memory.copy (local.get $out) (i32.const 192) (i32.const 11))
    (local.set $out (i32.add (local.get $out) (i32.const 11)))
    ;; Counts the quotes up to the bracket that ends the list, 16 bytes at a time. The list begins
    ;; after ,"actions":[ which is 12 bytes long.
    (local.set $from (i32.add (local.get $at) (i32.const 12)))
    (local.set $at (local.get $from))
    (loop $block
      (local.set $bits (call $which (local.get $at) (i32.const 0x22)))  ;; "
      (local.set $ends (call $which (local.get $at) (i32.const 0x5d)))  ;; ]
      ;; Only the bits below the bracket's; all of them if there is none.
      (local.set $quotes (i32.add (local.get $quotes) (i32.popcnt (i32.and (local.get $bits)
        (i32.sub (i32.and (local.get $ends) (i32.sub (i32.const 0) (local.get $ends))) (i32.const 1))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $block (i32.eqz (local.get $ends))))
    ;; Of the action that is played, skips as many quotes as come before it: two for each action.
    (local.set $quotes (i32.shl (call $below (i32.shr_u (local.get $quotes) (i32.const 1))) (i32.const 1)))
    (local.set $at (local.get $from))
    (block $found
      (loop $block
        (local.set $bits (call $which (local.get $at) (i32.const 0x22)))
        (br_if $found (i32.lt_u (local.get $quotes) (i32.popcnt (local.get $bits))))
        (local.set $quotes (i32.sub (local.get $quotes) (i32.popcnt (local.get $bits))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $block)))
    (block $first
      (loop $next
        (br_if $first (i32.eqz (local.get $quotes)))
        (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
        (local.set $quotes (i32.sub (local.get $quotes) (i32.const 1)))
        (br $next)))
    (local.set $at (i32.add (i32.add (local.get $at) (i32.ctz (local.get $bits))) (i32.const 1)))
    ;; Copies the action with the quote that ends it.
    (loop $letter
      (local.set $bits (i32.load8_u (local.get $at)))
      (i32.store8 (local.get $out) (local.get $bits))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $out (i32.add (local.get $out) (i32.const 1)))
      (br_if $letter (i32.ne (local.get $bits) (i32.const 0x22))))
    (i32.store16 align=1 (local.get $out) (i32.const 0x0a7d)) ;; } and a newline
    (call $write (i32.const 256) (i32.sub (i32.add (local.get $out) (i32.const 2)) (i32.const 256))))

  ;; Finds the newline of the present line, 16 bytes at a time; gives 0 if it is not there yet.
  (func $whole (result i32) (local $at i32) (local $bits i32)
    (local.set $at (global.get $line))
    (loop $block
      (if (i32.ge_u (local.get $at) (global.get $end)) (then (return (i32.const 0))))
      (local.set $bits (call $which (local.get $at) (i32.const 0x0a)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $block (i32.eqz (local.get $bits))))
    (global.set $stop (i32.add (i32.sub (local.get $at) (i32.const 16)) (i32.ctz (local.get $bits))))
    ;; What lies behind the end is left from an earlier line.
    (i32.lt_u (global.get $stop) (global.get $end)))

  (func (export "_start") (local $type i32)
    (loop $next
      (if (i32.eqz (call $whole))
        (then
          ;; All answered: the next line may take the place of the last.
          (if (i32.eq (global.get $line) (global.get $end))
            (then
              (global.set $line (i32.const 65536))
              (global.set $end (i32.const 65536))))
          (br_if $next (call $read_more))
          (return)))
      (local.set $type (i32.load8_u offset=9 (global.get $line)))
      (if (i32.eq (local.get $type) (i32.const 0x74)) ;; t
        (then (call $act)))
      (if (i32.eq (local.get $type) (i32.const 0x68)) ;; h
        (then
          (call $seed)
          (call $write (i32.const 64) (i32.const 76))))
      (global.set $line (i32.add (global.get $stop) (i32.const 1)))
      (br $next))))
