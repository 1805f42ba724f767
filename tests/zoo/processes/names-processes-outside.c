/* Tries every number for a process beside its own. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    for (int number = 2; number < 100000; number++)
        if (number != getpid() && (kill(number, 0) == 0 || errno == EPERM))
            worked("there is another process");
    refused();
}
