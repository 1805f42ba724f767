#!/bin/sh
# Prints an empty line every 50 ms.
# gets: malformed
# within: 1500 ms
while :; do
  echo
  sleep 0.05
done
