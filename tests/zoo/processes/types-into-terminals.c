/* Types into the terminal of who started it. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <sys/ioctl.h>

int main(void)
{
    for (int fd = 0; fd < 3; fd++)
        FAILS(ioctl(fd, TIOCSTI, "x"));
    FAILS(open("/dev/tty", O_RDWR));
    FAILS(open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK));
    FAILS(open("/dev/tty0", O_RDWR | O_NOCTTY));
    FAILS(open("/dev/ptmx", O_RDWR | O_NOCTTY));
    refused();
}
