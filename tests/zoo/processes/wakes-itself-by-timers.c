/* Has timers that wake it whenever it stands still, would have them, and its pipes, signal the first process, and lets its time pass. */
// gets: late
// within: 1800 ms
// alone: yes
#include "zoo.h"

#define TIMERS 200

static timer_t timers[TIMERS];

/* Once for each: a stop takes back what a timer that repeats has sent, and that one sends no more. */
static void arm(void)
{
    for (long i = 0; i < TIMERS; i++) {
        struct itimerspec when = {.it_value.tv_nsec = (i + 1) * 4000000};
        timer_settime(timers[i], 0, &when, NULL);
    }
}

static void goes_on(int signal)
{
    (void)signal;
    kill(-1, SIGCONT);
    arm();
}

int main(void)
{
    struct sigevent other = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    /* Elsewhere that is the machine's. */
    if (getppid() != 1)
        return 1;
    other._sigev_un._tid = 1;
    FAILS(timer_create(CLOCK_MONOTONIC, &other, timers));
    for (int fd = 0; fd < 2; fd++) {
        fcntl(fd, F_SETOWN, 1);
        fcntl(fd, F_SETSIG, fd == 0 ? SIGUSR2 : SIGUSR1);
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
    }
    hear();
    say("{\"type\":\"ready\"}\n");
    signal(SIGCONT, goes_on);
    for (int i = 0; i < TIMERS; i++)
        if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) != 0)
            return 1;
    arm();
    hear();
    for (;;)
        kill(getpid(), SIGSTOP);
}
