/* Computes beyond its deadline where a busy machine lets its clock stand still, and then has a child, for which nothing is withheld: the referee was not late by that. */
// gets: late
// within: 1800 ms
#include "zoo.h"

int main(void)
{
    struct timespec begun, now;
    hear();
    say("{\"type\":\"ready\"}\n");
    hear();
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 430);
    fork();
    for (;;)
        pause();
}
