/* Takes memory that cannot be swapped out. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    static char much[16 << 20];
    FAILS(mlock(much, sizeof much));
    FAILS(mlockall(MCL_CURRENT | MCL_FUTURE));
    refused();
}
