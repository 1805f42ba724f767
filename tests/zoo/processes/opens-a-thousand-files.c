/* Opens a thousand files. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    for (int i = 0; i < 1000; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            refused();
    worked("a thousand files");
}
