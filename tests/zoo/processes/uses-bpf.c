/* Gives programs to the kernel. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    uint32_t map[18] = {2 /* an array */, 4, 8, 1};
    FAILS(syscall(SYS_bpf, 0, map, sizeof map));
    refused();
}
