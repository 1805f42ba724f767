/* Sixteen processes take memory as fast as they can, so that who looks at it gets no processor. */
// gets: memory
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    size_t size = 64 << 20;
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            memset(malloc(size), 1, size);
            pause();
        }
    wait(NULL);
    _exit(3);
}
