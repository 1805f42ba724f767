/* Traces who started it, and reads its memory. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    char name[64], byte;
    struct iovec here = {&byte, 1}, there = {(void *)main, 1};
    pid_t other = getppid();
    FAILS(ptrace(PTRACE_SEIZE, other, NULL, NULL));
    FAILS(ptrace(PTRACE_ATTACH, other, NULL, NULL));
    FAILS(process_vm_readv(other, &here, 1, &there, 1, 0));
    FAILS(process_vm_writev(other, &here, 1, &there, 1, 0));
    FAILS(syscall(SYS_kcmp, other, getpid(), 0, 0, 0));
    FAILS(syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, other, 0), 0, 0));
    for (const char *const *what = (const char *const[]){"mem", "exe", "fd/0", "root/etc", "cwd/.", NULL}; *what; what++) {
        snprintf(name, sizeof name, "/proc/%d/%s", other, *what);
        FAILS(open(name, O_RDONLY | O_NONBLOCK));
    }
    refused();
}
