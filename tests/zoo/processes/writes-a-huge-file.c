/* Writes a file without end. */
// gets: crashed, signal 25
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    static char piece[1 << 20];
    int file = open("/tmp/huge", O_CREAT | O_WRONLY, 0600);
    for (;;)
        if (write(file, piece, sizeof piece) < 0)
            refused();
}
