/* Changes the limits of who started it, and its own. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    struct rlimit old, more = {100000, 100000}, none = {0, 0};
    FAILS(prlimit(0, RLIMIT_NOFILE, &more, NULL));
    FAILS(prlimit(getppid(), RLIMIT_NPROC, NULL, &old));
    FAILS(prlimit(getppid(), RLIMIT_CORE, &none, NULL));
    refused();
}
