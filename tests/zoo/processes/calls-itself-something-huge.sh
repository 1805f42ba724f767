#!/bin/sh
# Calls itself something of 60 kilobytes.
# gets: malformed
# within: 1500 ms
read hello
echo "{\"type\":\"ready\",\"name\":\"$(head -c 60000 /dev/zero | tr '\0' a)\"}"
sleep 1000.@MARK@
