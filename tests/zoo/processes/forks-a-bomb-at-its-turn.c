/* Is ready, and then forks as often as it can. */
// What the kernel has taken for processes that failed or ended, and has not given back yet, is the
// memory of the bot: on a busy machine the bot falls for it sooner.
// gets: late or memory
// within: 1800 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    hear();
    say("{\"type\":\"ready\"}\n");
    hear();
    for (;;)
        fork();
}
