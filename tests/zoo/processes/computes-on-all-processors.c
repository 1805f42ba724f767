/* Is ready, and computes with as many processes as it may have, whoever is asked. */
// gets: late
// within: 1800 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    hear();
    say("{\"type\":\"ready\"}\n");
    while (fork() > 0)
        ;
    for (volatile int i = 0;; i++)
        ;
}
