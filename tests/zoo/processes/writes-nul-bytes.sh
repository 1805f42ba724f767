#!/bin/sh
# Writes a line of NUL bytes.
# gets: malformed
# within: 1500 ms
printf '\0\0\0\0{"type":"ready"}\0\n'
sleep 1000.@MARK@
