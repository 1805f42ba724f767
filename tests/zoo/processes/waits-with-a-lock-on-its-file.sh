#!/bin/sh
# Locks its own file, which the other match needs too.
# gets: late
# within: 1500 ms
exec 9< "$0"
flock --nonblock 9
sleep 1000.@MARK@
