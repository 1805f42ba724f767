#!/bin/sh
# Is ready, and answers its first question a second after its time.
# gets: late
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
sleep 3
echo '{"type":"act","id":1,"action":"+a1"}'
sleep 1000.@MARK@
