#!/bin/sh
# Becomes itself, again and again.
# gets: late
# within: 1500 ms
exec "$0"
