#!/bin/sh
# Leaves before its first answer, as if all were well.
# gets: closed, exited with code 0
# within: 1500 ms
exit 0
