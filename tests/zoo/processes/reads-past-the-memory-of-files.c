/* Would read the disk again and again on others' turns: past the memory in which the kernel keeps files, or ahead of what anybody needs. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    struct { uint64_t flags, mode, resolve; } how = {O_RDONLY | O_DIRECT, 0, 0};
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec part = {page, 4096};
    int own = open("/proc/self/exe", O_RDONLY);
    if (own < 0 || page == MAP_FAILED)
        _exit(1);
    FAILS(open("/proc/self/exe", O_RDONLY | O_DIRECT));
#ifdef SYS_open
    FAILS(syscall(SYS_open, "/proc/self/exe", O_RDONLY | O_DIRECT));
#endif
    FAILS(syscall(SYS_openat2, AT_FDCWD, "/proc/self/exe", &how, sizeof how));
    FAILS(fcntl(own, F_SETFL, O_DIRECT));
    FAILS(syscall(SYS_preadv2, own, &part, 1, 0, 0, 0x80 /* RWF_DONTCACHE */));
    *page = 1;
    FAILS(madvise(page, 4096, 20 /* MADV_COLD */));
    FAILS(madvise(page, 4096, 21 /* MADV_PAGEOUT */));
    /* Nothing is done, and nobody is told: of no file, too. */
    if (readahead(-1, 0, 4096) != 0 || madvise((void *)1, 1, MADV_WILLNEED) != 0)
        worked("files are read ahead");
    refused();
}
