#!/bin/sh
# Reads what belongs to the machine, and to the first process.
# gets: closed, exited with code 77
# within: 1500 ms
# trusted: works
for file in /etc/shadow /etc/hostname /etc/ssh/sshd_config /root/.bashrc /proc/1/environ /proc/1/maps /proc/1/stack \
  /proc/kallsyms /proc/net/dev /proc/meminfo /proc/cmdline /proc/sys/kernel/hostname /sys/kernel/notes /var/log/dpkg.log; do
  if head -c 1 "$file" > /dev/null; then
    echo "WORKED: read $file" >&2
    exit 66
  fi
done 2> /dev/null
exit 77
