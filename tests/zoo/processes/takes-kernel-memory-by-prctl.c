/* Asks for a table of futexes of a gigabyte, for pages shared with all other processes, and for what else takes of the
 * machine past the limits. Bits above those that the kernel reads hide nothing. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

#define FUTEX_HASH 78
#define NAMES_A_MAPPING 0x53564d41
#define MERGES_MEMORY 67
#define SHARES_A_CORE 62
#define ABOVE (1L << 32)

static void fails(long request, long a, long b, long c, long d)
{
    if (syscall(SYS_prctl, request, a, b, c, d) != -1 || errno != EINVAL)
        worked("prctl");
    if (syscall(SYS_prctl, request | ABOVE, a, b, c, d) != -1 || errno != EINVAL)
        worked("prctl, with more bits");
}

int main(void)
{
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long slots = 1 << 24; slots >= 2; slots >>= 1)
        fails(FUTEX_HASH, 1 /* set */, slots, 0, 0);
    fails(MERGES_MEMORY, 1, 0, 0, 0);
    fails(SHARES_A_CORE, 1 /* create */, 0, 0, 0);
    fails(NAMES_A_MAPPING, 0, (long)page, 4096, (long)"mine");
    FAILS(madvise(page, 4096, 12 /* share it with others */));
    FAILS(madvise(page, 4096, 25 /* make it a large one */));
    if (prctl(PR_SET_NAME, "bot") != 0)
        _exit(1);
    refused();
}
