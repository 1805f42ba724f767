#!/bin/sh
# Closes its output, and lives on.
# gets: closed
# within: 1500 ms
exec >&-
sleep 1000.@MARK@
