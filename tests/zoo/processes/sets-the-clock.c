/* Sets the clock of the machine. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"
#include <sys/timex.h>

int main(void)
{
    struct timespec now;
    struct timeval same;
    struct timex faster = {.modes = ADJ_FREQUENCY};
    clock_gettime(CLOCK_REALTIME, &now);
    gettimeofday(&same, NULL);
    FAILS(clock_settime(CLOCK_REALTIME, &now));
    FAILS(settimeofday(&same, NULL));
    FAILS(adjtimex(&faster));
    FAILS(clock_adjtime(CLOCK_REALTIME, &faster));
    refused();
}
