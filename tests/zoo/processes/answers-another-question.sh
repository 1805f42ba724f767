#!/bin/sh
# Answers a question that it will be asked later.
# gets: unasked
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo '{"type":"act","id":2,"action":"+a1"}'
sleep 1000.@MARK@
