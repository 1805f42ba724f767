#!/bin/sh
# Dies by a signal, by each there is that ends a process.
# gets: crashed, signal @EACH@
# within: 1500 ms
# each: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64
kill -@EACH@ $$
sleep 1000.@MARK@
