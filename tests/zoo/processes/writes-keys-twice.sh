#!/bin/sh
# Answers two questions in one.
# gets: malformed
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo '{"type":"act","id":1,"id":2,"action":"+a1"}'
sleep 1000.@MARK@
