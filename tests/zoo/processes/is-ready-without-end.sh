#!/bin/sh
# Says without end that it is ready.
# gets: unasked
# within: 1800 ms
exec yes '{"type":"ready"}'
