#!/bin/sh
# Reads all, and never answers.
# gets: late
# within: 1500 ms
cat > /dev/null
