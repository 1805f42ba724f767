/* Calls itself until its stack overflows. */
// gets: crashed, signal 11
// within: 1500 ms
#include "zoo.h"

static int (*volatile again)(volatile char *);

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = *above;
    return again(here) + here[0];
}

int main(void)
{
    char first = 0;
    again = deeper;
    return deeper(&first);
}
