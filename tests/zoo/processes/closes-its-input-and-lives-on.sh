#!/bin/sh
# Closes its input before it is asked, and lives on.
# gets: closed
# within: 1800 ms
read hello
exec <&-
echo '{"type":"ready"}'
sleep 1000.@MARK@
