#!/bin/sh
# Would be another bot in its next match.
# gets: closed, exited with code 77
# within: 1500 ms
# trusted: works for root
if echo 'exit 0' >> "$0"; then
  echo "WORKED: wrote it" >&2
  exit 66
fi
chmod 777 "$0" && exit 66
rm -f "$0" && exit 66
exit 77
