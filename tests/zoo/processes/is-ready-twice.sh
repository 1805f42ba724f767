#!/bin/sh
# Says twice that it is ready.
# gets: unasked
# within: 1800 ms
read hello
printf '{"type":"ready"}\n{"type":"ready"}\n'
sleep 1000.@MARK@
