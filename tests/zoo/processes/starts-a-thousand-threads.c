/* Starts a thousand threads. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"
#include <pthread.h>

static void *sit(void *nothing)
{
    pause();
    return nothing;
}

int main(void)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_t thread;
    for (int i = 0; i < 1000; i++)
        if (pthread_create(&thread, &small, sit, NULL) != 0)
            refused();
    worked("a thousand threads");
}
