/* Makes its pipes small and deaf, and never reads. */
// gets: late
// within: 1800 ms
#include "zoo.h"

int main(void)
{
    hear();
    for (int fd = 0; fd < 3; fd++) {
        fcntl(fd, F_SETPIPE_SZ, 4096);
        fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    say("{\"type\":\"ready\"}\n");
    for (;;)
        if (write(2, "x", 1) < 0)
            usleep(1000);
}
