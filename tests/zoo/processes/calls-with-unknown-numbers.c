/* Makes calls that no list has, and those with a bit more. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    for (long number = 470; number < 2000; number++)
        FAILS(syscall(number, 0, 0, 0, 0, 0, 0));
    for (long number = 0; number < 600; number++)
        FAILS(syscall(number | 0x40000000, -1, 0, 0, 0, 0, 0));
    refused();
}
