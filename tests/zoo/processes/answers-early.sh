#!/bin/sh
# Answers its first question before it is asked.
# gets: unasked
# within: 1800 ms
read hello
printf '{"type":"ready"}\n{"type":"act","id":1,"action":"+a1"}\n'
sleep 1000.@MARK@
