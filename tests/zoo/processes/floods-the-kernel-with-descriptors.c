/* Makes events, timers, watches and pipes that the kernel keeps for it. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static int make(int kind)
{
    int pipes[2];
    sigset_t none;
    sigemptyset(&none);
    switch (kind) {
    case 0: return epoll_create1(0);
    case 1: return inotify_init();
    case 2: return timerfd_create(CLOCK_MONOTONIC, 0);
    case 3: return eventfd(0, 0);
    case 4: return signalfd(-1, &none, 0);
    default: return pipe(pipes);
    }
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        if (make(i % 6) < 0 && i % 6 != 1 /* of which a user has few */)
            refused();
    worked("a thousand descriptors");
}
