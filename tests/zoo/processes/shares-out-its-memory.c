/* Eight processes, of which none has much. */
// gets: memory
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            memset(malloc(60 << 20), 1, 60 << 20);
            pause();
        }
    wait(NULL);
    _exit(3);
}
