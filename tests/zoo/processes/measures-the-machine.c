/* Counts what the processor does, for everybody. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"
#include <linux/perf_event.h>

int main(void)
{
    struct perf_event_attr what = {.type = PERF_TYPE_SOFTWARE, .size = sizeof what,
                                   .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    FAILS(syscall(SYS_perf_event_open, &what, getppid(), -1, -1, 0));
    FAILS(syscall(SYS_perf_event_open, &what, -1, 0, -1, 0));
    FAILS(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
    refused();
}
