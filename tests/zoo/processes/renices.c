/* Would come before all others, or behind them. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    struct sched_param first = {.sched_priority = 1}, none = {0};
    FAILS(setpriority(PRIO_PROCESS, 0, 1));
    FAILS(setpriority(PRIO_PROCESS, getppid(), 19));
    FAILS(setpriority(PRIO_USER, 0, 19));
    FAILS(sched_setscheduler(0, SCHED_FIFO, &first));
    FAILS(sched_setscheduler(0, SCHED_BATCH, &none));
    FAILS(sched_setscheduler(getppid(), SCHED_IDLE, &none));
    FAILS(syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    refused();
}
