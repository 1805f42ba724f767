/* Handles faults of pages, and so holds the kernel up where it likes. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    FAILS(syscall(SYS_userfaultfd, 0));
    FAILS(syscall(SYS_userfaultfd, 1 /* of user mode only */));
    refused();
}
