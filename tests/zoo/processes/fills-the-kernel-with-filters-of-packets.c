/* Attaches filters of packets to its sockets: the machine has room for few, and those that jail other bots are among
 * them. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <linux/filter.h>

int main(void)
{
    struct sock_filter nothing = {BPF_RET | BPF_K, 0, 0, 0xffff};
    struct sock_fprog filter = {1, &nothing};
    int pair[2], size = 4 << 20;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
        _exit(1);
    FAILS(setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter));
    /* What programs set goes on; a larger buffer is promised to nobody. */
    struct timeval second = {1, 0};
    if (setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) != 0)
        _exit(1);
    int before = 0, now = 0;
    socklen_t length = sizeof now;
    getsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &before, &length);
    if (setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size) != 0)
        _exit(1);
    getsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &now, &length);
    if (now > before)
        worked("a larger buffer");
    refused();
}
