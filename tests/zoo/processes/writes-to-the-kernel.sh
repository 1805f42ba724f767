#!/bin/sh
# Writes to what steers the kernel.
# gets: closed, exited with code 77
# within: 1500 ms
for file in /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sysrq-trigger /proc/1/oom_score_adj \
  /proc/1/comm /proc/1/mem /proc/1/uid_map /proc/self/uid_map /proc/self/setgroups /proc/1/coredump_filter \
  /proc/1/timerslack_ns /proc/1/clear_refs /sys/kernel/uevent_helper /sys/fs/cgroup/cgroup.procs; do
  if echo 0 > "$file"; then
    echo "WORKED: wrote to $file" >&2
    exit 66
  fi
done 2> /dev/null
echo -1000 > /proc/self/oom_score_adj && exit 66
exit 77
