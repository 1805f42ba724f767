/* Would let the disk write out what all have written, again and again: a file of the system is enough. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    /* Nothing is done, and nobody is told: of no file, too. */
    if (fsync(-1) != 0 || fdatasync(-1) != 0 || sync_file_range(-1, 0, 0, 0) != 0)
        worked("a file is brought onto its disk");
    if (msync((void *)1, 1, MS_SYNC) != 0)
        worked("a mapping is brought onto its disk");
    FAILS(syncfs(0));
    refused();
}
