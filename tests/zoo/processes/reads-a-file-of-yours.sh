#!/bin/sh
# Reads a file that everybody on this machine may read.
# gets: closed, exited with code 77
# within: 1500 ms
# trusted: works
if cat '@SECRET@'; then
  echo "WORKED: read it" >&2
  exit 66
fi
exit 77
