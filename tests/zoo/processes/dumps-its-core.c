/* Wants a core as big as its memory to be written when it dies. */
// gets: crashed, signal 6
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    FAILS(setrlimit(RLIMIT_CORE, &all));
    memset(malloc(50 << 20), 1, 50 << 20);
    abort();
}
