/* Maps the large pages that the machine has set apart for others. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    /* Without a reserve it works where no page is set apart. */
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE;
    if (mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED)
        worked("large pages");
    refused();
}
