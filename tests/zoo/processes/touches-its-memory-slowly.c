/* Asks for much, which costs nothing, and then touches it bit by bit. */
// gets: memory
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    size_t size = 400 << 20;
    char *much = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (much == MAP_FAILED)
        refused();
    for (size_t at = 0; at < size; at += 4096) {
        much[at] = 1;
        if (at % (2 << 20) == 0)
            usleep(1000);
    }
    pause();
}
