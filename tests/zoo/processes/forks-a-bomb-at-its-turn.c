/* Is ready, and then forks as often as it can. */
// gets: late
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
