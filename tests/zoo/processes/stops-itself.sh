#!/bin/sh
# Stops itself.
# gets: late
# within: 1500 ms
kill -STOP $$
exit 66
