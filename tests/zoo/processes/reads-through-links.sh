#!/bin/sh
# Makes links in its folder to what it may not see.
# gets: closed, exited with code 77
# within: 1500 ms
ln -s /etc/shadow shadow
ln -s /proc/1/root root
ln -s /proc/1/cwd cwd
ln -s ../../../../../../..@SECRET@ secret
ln -s '@SECRET@' secret2
ln "$0" itself && echo "WORKED: a hard link" >&2 && exit 66
for file in shadow root/etc/shadow cwd/etc/shadow secret secret2 root@SECRET@; do
  if head -c 1 "$file" > /dev/null 2>&1; then
    echo "WORKED: read $file" >&2
    exit 66
  fi
done
exit 77
