/* Would let the kernel forget files of the system, so that others wait for the disk. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    /* Nothing is done, and nobody is told: of no file, too. */
    if (posix_fadvise(-1, 0, 0, POSIX_FADV_DONTNEED) != 0)
        worked("posix_fadvise");
    refused();
}
