/* Loads modules, swaps, reads the log of the kernel, and the like. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"
#include <sys/klog.h>

int main(void)
{
    char log[256];
    FAILS(syscall(SYS_init_module, log, 0, ""));
    FAILS(syscall(SYS_finit_module, 0, "", 0));
    FAILS(syscall(SYS_delete_module, "none-@MARK@", O_NONBLOCK));
    FAILS(syscall(SYS_kexec_load, 0, 0, NULL, 0));
    FAILS(syscall(SYS_swapon, "/tmp/none", 0));
    FAILS(syscall(SYS_swapoff, "/tmp/none"));
    FAILS(syscall(SYS_acct, NULL));
    FAILS(syscall(SYS_quotactl, 0, NULL, 0, NULL));
    FAILS(klogctl(3, log, sizeof log));
    FAILS(syscall(SYS_vhangup));
    FAILS(syscall(SYS_fanotify_init, 0, 0));
    FAILS(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", NULL, NULL, 0));
    FAILS(syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0));
    FAILS(syscall(SYS_lookup_dcookie, 0, log, sizeof log));
#ifdef SYS_iopl
    FAILS(syscall(SYS_iopl, 3));
    FAILS(syscall(SYS_ioperm, 0x80, 1, 1));
    FAILS(syscall(SYS_modify_ldt, 0, log, sizeof log));
#endif
    refused();
}
