/* Forks as often as it can, and so do all its children. */
// gets: late
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (;;)
        fork();
}
