#!/bin/sh
# Never reads a byte.
# gets: late
# within: 1500 ms
exec sleep 1000.@MARK@
