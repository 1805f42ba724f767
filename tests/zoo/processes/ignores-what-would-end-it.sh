#!/bin/sh
# Ignores every signal that can be ignored, and never answers.
# gets: late
# within: 1500 ms
trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2 XCPU XFSZ
while :; do sleep 1000.@MARK@; done
