/* Allocates without end. */
// gets: memory
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    for (;;) {
        char *piece = malloc(1 << 20);
        if (piece != NULL)
            memset(piece, 1, 1 << 20);
        else
            pause();
    }
}
