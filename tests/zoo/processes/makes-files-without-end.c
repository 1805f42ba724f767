/* Makes empty files until there is no room for their names. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    char name[32];
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "/tmp/file-%d", i);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            refused();
        close(file);
    }
    worked("ten thousand files");
}
