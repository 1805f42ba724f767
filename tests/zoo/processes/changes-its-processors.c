/* Would leave the processors that its match is kept on. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    cpu_set_t mine, other;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return 1;
    FAILS(sched_setaffinity(0, sizeof mine, &mine));
    FAILS(sched_setaffinity(getppid(), sizeof mine, &mine));
    for (int i = 0; i < CPU_SETSIZE; i++) {
        CPU_ZERO(&other);
        CPU_SET(i, &other);
        FAILS(sched_setaffinity(0, sizeof other, &other));
    }
    CPU_ZERO(&other);
    if (sched_getaffinity(0, sizeof other, &other) != 0 || !CPU_EQUAL(&mine, &other))
        worked("other processors");
    refused();
}
