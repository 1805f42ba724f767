/* Mounts, and moves roots. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"
#include <sys/mount.h>

int main(void)
{
    FAILS(mount("none", "/tmp", "tmpfs", 0, NULL));
    FAILS(mount("/bot", "/tmp", NULL, MS_BIND, NULL));
    FAILS(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
    FAILS(mount("none", "/proc", "proc", 0, NULL));
    FAILS(umount2("/proc", MNT_DETACH));
    FAILS(umount2("/usr/bin", MNT_DETACH));
    FAILS(syscall(SYS_pivot_root, ".", "."));
    FAILS(syscall(SYS_fsopen, "tmpfs", 0));
    FAILS(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
    FAILS(syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/bot", 0));
    FAILS(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, NULL, 0));
    refused();
}
