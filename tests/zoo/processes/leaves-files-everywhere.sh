#!/bin/sh
# Writes a file wherever it may.
# gets: closed, exited with code 77
# within: 1500 ms
for folder in / /bot /bin /usr/bin /usr/lib /usr/share /usr/local/bin /etc /dev /proc/1 /proc/self /var /var/tmp \
  /run /home /root /mnt /sys "$(dirname "$0")" "$(dirname "$0")/.."; do
  if true > "$folder/@MARK@"; then
    echo "WORKED: $folder" >&2
    exit 66
  fi
done 2> /dev/null
# Its own small folder goes with it.
true > "/tmp/@MARK@" && true > "/dev/shm/@MARK@-shm" && exit 77
