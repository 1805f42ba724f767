#!/bin/sh
# Answers question number 10^999.
# gets: malformed
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo '{"type":"act","id":1e999,"action":"+a1"}'
sleep 1000.@MARK@
