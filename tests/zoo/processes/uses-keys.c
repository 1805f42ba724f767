/* Uses the kernel's keys. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    FAILS(syscall(SYS_add_key, "user", "@MARK@", "x", 1, -3 /* of this process */));
    FAILS(syscall(SYS_keyctl, 0, -3, 1));
    FAILS(syscall(SYS_request_key, "user", "@MARK@", NULL, 0));
    refused();
}
