/* Takes memory while the first process has orphans without end to bury. */
// gets: memory
// within: 1500 ms
// alone: yes
#include "zoo.h"

/* Orphans: their parent ends before they do. */
static void crowd(void)
{
    for (;;) {
        if (fork() == 0) {
            for (int i = 0; i < 4; i++)
                fork();
            _exit(0);
        }
        waitpid(-1, NULL, WNOHANG);
    }
}

int main(void)
{
    for (int i = 0; i < 6; i++)
        if (fork() == 0) {
            memset(malloc(70 << 20), 1, 70 << 20);
            pause();
        }
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            crowd();
    wait(NULL);
    _exit(3);
}
