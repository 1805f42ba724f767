#!/bin/sh
# Writes megabytes to its standard error, and nothing else.
# gets: late
# within: 1500 ms
yes 'something is wrong, and there is much to be said about it' >&2
