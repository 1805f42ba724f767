/* Leaves a socket behind that has a name and lies in its own queue, for the next bot in its network. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <sys/un.h>

int main(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
        _exit(1);
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "zoo-%d", (int)getpid());
    FAILS(bind(pair[1], (struct sockaddr *)&name, sizeof name));
    FAILS(connect(pair[0], (struct sockaddr *)&name, sizeof name));
    FAILS(listen(pair[1], 1));
    FAILS(accept(pair[1], 0, 0));
    FAILS(accept4(pair[1], 0, 0, 0));
    refused();
}
