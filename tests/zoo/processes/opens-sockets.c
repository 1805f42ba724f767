/* Opens sockets of every family and kind. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <netinet/in.h>

int main(void)
{
    int pair[2];
    for (int family = 0; family < 50; family++)
        for (int kind = 1; kind < 6; kind++) {
            FAILS(socket(family, kind, 0));
            if (family != AF_UNIX)
                FAILS(socketpair(family, kind, 0, pair));
        }
    FAILS(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    FAILS(socket(AF_PACKET, SOCK_RAW, 0x0300));
    FAILS(socket(AF_NETLINK, SOCK_RAW, 0));
    refused();
}
