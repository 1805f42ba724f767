/* Lets the kernel do what a filter of calls does not see. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    uint32_t parameters[30] = {0};
    FAILS(syscall(SYS_io_uring_setup, 8, parameters));
    FAILS(syscall(SYS_io_uring_enter, 0, 0, 0, 0, NULL, 0));
    FAILS(syscall(SYS_io_uring_register, 0, 0, NULL, 0));
    refused();
}
