/* Sends itself signals that nobody takes, and makes timers. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    union sigval value = {0};
    int sent = 0, made = 0;
    timer_t timer;
    while (sent < 5000 && sigqueue(getpid(), SIGRTMIN, value) == 0)
        sent++;
    while (made < 5000 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
        made++;
    if (sent + made > 2000)
        worked("thousands of signals");
    refused();
}
