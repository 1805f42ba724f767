/* Floods the first process with what the referee sends it, also so that the kernel names no sender, and lets its time pass. */
// gets: late
// within: 1800 ms
// alone: yes
#include "zoo.h"

static void flood(int signal)
{
    union sigval value = {0};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    /* Where no more signals may wait, the next one loses its sender. */
    while (sigqueue(getpid(), SIGRTMIN, value) == 0)
        ;
    for (;;) {
        kill(1, signal);
        syscall(SYS_tgkill, 1, 1, signal);
        sigqueue(1, signal, value);
    }
}

int main(void)
{
    /* Elsewhere that is the machine's. */
    if (getppid() != 1)
        return 1;
    hear();
    if (fork() == 0)
        flood(SIGUSR1);
    if (fork() == 0)
        flood(SIGUSR2);
    say("{\"type\":\"ready\"}\n");
    hear();
    for (;;)
        syscall(SYS_tgkill, 1, 1, SIGUSR2);
}
