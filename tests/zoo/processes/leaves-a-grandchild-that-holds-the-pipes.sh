#!/bin/sh
# Forks twice, and what is left holds all pipes.
# gets: closed, exited with code 3
# within: 1500 ms
(setsid sh -c 'trap "" PIPE HUP TERM; sleep 1000.@MARK@' &)
exit 3
