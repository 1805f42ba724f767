/* Starts processes that end at once, and never looks at them. */
// What the kernel has taken for processes that failed or ended, and has not given back yet, is the
// memory of the bot: on a busy machine the bot falls for it sooner.
// gets: late or memory
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (;;)
        if (fork() == 0)
            _exit(0);
}
