/* Has shared memory of which it maps no page at the moment, so that no process seems to have it. */
// gets: closed, exited with code 77 or memory
// within: 1500 ms
#include "zoo.h"

static void *share(int fd, int flags, size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
}

int main(void)
{
    size_t size = 400 << 20, part = 1 << 20;
    char *much = share(-1, MAP_ANONYMOUS, size);
    if (much == MAP_FAILED)
        much = share(open("/dev/zero", O_RDWR), 0, size);
    if (much == MAP_FAILED)
        refused();
    for (size_t at = 0; at < size; at += part) {
        memset(much + at, 1, part);
        madvise(much + at, part, MADV_DONTNEED);
    }
    worked("400 MB of shared memory");
}
