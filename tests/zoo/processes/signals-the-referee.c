/* Ends who started it. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    kill(getppid(), SIGKILL);
    syscall(SYS_tgkill, getppid(), getppid(), SIGKILL);
    kill(-getppid(), SIGKILL);
    int referee = syscall(SYS_pidfd_open, getppid(), 0);
    syscall(SYS_pidfd_send_signal, referee, SIGKILL, NULL, 0);
    refused();
}
