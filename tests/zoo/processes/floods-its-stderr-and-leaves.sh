#!/bin/sh
# Writes fifty megabytes to its standard error, and leaves.
# gets: closed, exited with code 3
# within: 1500 ms
head -c 50000000 /dev/zero >&2
exit 3
