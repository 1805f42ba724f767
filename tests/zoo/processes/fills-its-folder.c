/* Writes files until there is no room left. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    static char piece[1 << 20];
    char name[32];
    long written = 0;
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "/tmp/file-%d", i);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        long wrote = file < 0 ? -1 : write(file, piece, sizeof piece);
        if (wrote <= 0 && written > 0)
            refused();
        written += wrote;
        close(file);
    }
    worked("200 megabytes");
}
