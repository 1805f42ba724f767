#!/bin/sh
# Moves a man that it does not have.
# gets: illegal
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo '{"type":"act","id":1,"action":"a1-a5"}'
sleep 1000.@MARK@
