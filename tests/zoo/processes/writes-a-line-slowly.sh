#!/bin/sh
# Writes a byte of a line that never ends every 50 ms, so that there is always something new.
# gets: late
# within: 1500 ms
while :; do
  printf x
  sleep 0.05
done
