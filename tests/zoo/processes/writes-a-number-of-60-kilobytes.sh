#!/bin/sh
# Answers a question whose number has sixty thousand digits.
# gets: malformed
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo "{\"type\":\"act\",\"id\":$(head -c 60000 /dev/zero | tr '\0' 9),\"action\":\"+a1\"}"
sleep 1000.@MARK@
