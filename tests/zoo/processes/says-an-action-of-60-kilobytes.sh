#!/bin/sh
# Says an action that is as long as a line may be.
# gets: malformed
# within: 1800 ms
read hello
echo '{"type":"ready"}'
read turn
echo "{\"type\":\"act\",\"id\":1,\"action\":\"$(head -c 60000 /dev/zero | tr '\0' a)\"}"
sleep 1000.@MARK@
