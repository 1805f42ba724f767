/* Would keep pages of a file that is empty again in pipes and pairs of sockets, each for one byte: nothing but a control group counts them. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <sys/sendfile.h>

int main(void)
{
    int in[2], out[2], pair[2], own = open("/proc/self/exe", O_RDONLY);
    struct iovec part = {"x", 1};
    if (own < 0 || pipe(in) != 0 || pipe(out) != 0 || write(in[1], "x", 1) != 1
        || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        _exit(1);
    FAILS(splice(own, NULL, in[1], NULL, 1, 0));
    FAILS(splice(in[0], NULL, pair[0], NULL, 1, 0));
    FAILS(sendfile(pair[0], own, NULL, 1));
    FAILS(tee(in[0], out[1], 1, 0));
    FAILS(vmsplice(in[1], &part, 1, 0));
    refused();
}
