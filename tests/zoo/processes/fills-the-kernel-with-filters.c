/* Would let the kernel keep filters of calls by the thousand: only a control group counts them. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

int main(void)
{
    struct sock_filter nothing = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog filter = {1, &nothing};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        _exit(1);
    FAILS(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
    FAILS(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 8 /* another process decides */, &filter));
    FAILS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
    refused();
}
