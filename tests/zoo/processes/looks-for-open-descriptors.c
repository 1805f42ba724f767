/* Looks for what was left open when it was started. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    struct stat found;
    for (int fd = 3; fd < 65536; fd++)
        FAILS(fcntl(fd, F_GETFD));
    for (int fd = 0; fd < 3; fd++)
        if (fstat(fd, &found) != 0 || !S_ISFIFO(found.st_mode))
            worked("a stream is no pipe");
    refused();
}
