#!/bin/sh
# Acts where it is asked whether it is ready.
# gets: unasked
# within: 1500 ms
read hello
echo '{"type":"act","id":1,"action":"+a1"}'
sleep 1000.@MARK@
