#!/bin/sh
# The shell that calls itself twice.
# gets: late or closed
# within: 1500 ms
# alone: yes
bomb() { bomb | bomb & }
bomb
while :; do wait; done
