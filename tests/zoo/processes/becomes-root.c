/* Takes other users, groups and rights. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"
#include <grp.h>

int main(void)
{
    gid_t groups[] = {0};
    FAILS(setgroups(1, groups));
    FAILS(setuid(0));
    FAILS(setgid(0));
    FAILS(setresuid(0, 0, 0));
    for (int right = 0; right < 64; right++)
        if (prctl(PR_CAPBSET_READ, right) == 1)
            worked("a right is left");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        worked("new privileges");
    FAILS(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
    refused();
}
