#!/bin/sh
# Leaves a grandchild that would play on.
# gets: closed, exited with code 0
# within: 1500 ms
(setsid sh -c 'sleep 0.3; yes "{\"type\":\"ready\"}"; : @MARK@' &)
exit 0
