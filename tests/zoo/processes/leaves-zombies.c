/* Starts processes that end at once, and never looks at them. */
// gets: late
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (;;)
        if (fork() == 0)
            _exit(0);
}
