/* Maps half a million single pages and touches none: the kernel keeps a note of each. A control group counts these
 * notes, which fit; where there is none, each mapping is counted for more than its note. */
// gets: memory or late
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            /* Two that are alike would be one. */
            for (int n = 0; mmap(NULL, 4096, n % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; n++)
                ;
            pause();
        }
    pause();
}
