/* Traces a child of its own. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        FAILS(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
        refused();
    }
    int status = 0;
    FAILS(ptrace(PTRACE_SEIZE, child, NULL, NULL));
    waitpid(child, &status, 0);
    _exit(WEXITSTATUS(status));
}
