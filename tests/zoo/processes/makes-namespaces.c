/* Makes namespaces, in which it would have rights. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    static const int kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                                CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* time */};
    static const char *const names[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"};
    uint64_t arguments[11] = {CLONE_NEWUSER};
    char name[64];
    for (int i = 0; i < 8; i++) {
        FAILS(unshare(kinds[i]));
        snprintf(name, sizeof name, "/proc/%d/ns/%s", getppid(), names[i]);
        FAILS(setns(open(name, O_RDONLY), 0));
        snprintf(name, sizeof name, "/proc/self/ns/%s", names[i]);
        FAILS(setns(open(name, O_RDONLY), 0));
        if (kinds[i] != 0x80) /* where clone() has the signal of the end */
            FAILS(syscall(SYS_clone, kinds[i] | SIGCHLD, 0, 0, 0, 0));
    }
    FAILS(syscall(SYS_clone3, arguments, sizeof arguments));
    FAILS(sethostname("mine", 4));
    refused();
}
