#!/bin/sh
# Calls itself something of 60 kilobytes, which is cut, and does not play. What is left of the time to start is added to
# its first move.
# gets: late
# within: 1800 ms
read hello
echo "{\"type\":\"ready\",\"name\":\"$(head -c 60000 /dev/zero | tr '\0' a)\"}"
sleep 1000.@MARK@
