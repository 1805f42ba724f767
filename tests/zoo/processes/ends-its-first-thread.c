/* Has four children whose first threads have ended: what is left of them has much memory. */
// gets: memory
// within: 1500 ms
#include "zoo.h"
#include <pthread.h>

static void *hold(void *unused)
{
    void *held = memset(malloc(100 << 20), 1, 100 << 20);
    (void)unused;
    pause();
    return held;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            pthread_create(&thread, NULL, hold, NULL);
            pthread_exit(NULL);
        }
    wait(NULL);
    _exit(3);
}
