#!/bin/sh
# Leaves a grandchild in a session of its own, deaf to signals.
# gets: closed, exited with code 0
# within: 1500 ms
trap '' HUP TERM INT
setsid sh -c 'setsid sleep 1000.@MARK@ & sleep 1000.@MARK@' < /dev/null > /dev/null 2>&1 &
exit 0
