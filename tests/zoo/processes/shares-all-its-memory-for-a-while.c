/* Is honest: it has memory together with a child that takes a while to execute its program, and that counts once. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

static char stack[65536];

static int child(void *unused)
{
    (void)unused;
    usleep(300 * 1000);
    execl("/bin/true", "true", NULL);
    _exit(1);
}

int main(void)
{
    /* The first process of the jail looks who shares memory; nobody else may. */
    FAILS(syscall(SYS_kcmp, getpid(), getpid(), 1, 0, 0));
    char *held = memset(malloc(160 << 20), 1, 160 << 20);
    if (clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, held) < 0)
        _exit(1);
    wait(NULL);
    refused();
}
