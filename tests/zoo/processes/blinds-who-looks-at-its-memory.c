/* Takes the open files of the first process, which may look at its memory, and then takes memory. */
// gets: memory
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    struct rlimit none = {0, 0};
    prlimit(1, RLIMIT_NOFILE, &none, NULL);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            memset(malloc(60 << 20), 1, 60 << 20);
            pause();
        }
    wait(NULL);
    _exit(3);
}
