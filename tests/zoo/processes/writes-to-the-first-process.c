/* Opens the descriptors and the memory of the first process. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    char name[64];
    for (int fd = 0; fd < 256; fd++) {
        snprintf(name, sizeof name, "/proc/1/fd/%d", fd);
        FAILS(open(name, O_RDWR | O_NONBLOCK));
        FAILS(open(name, O_WRONLY | O_NONBLOCK));
    }
    FAILS(open("/proc/1/mem", O_RDWR));
    FAILS(open("/proc/1/exe", O_RDONLY));
    FAILS(execl("/proc/1/exe", "flipside", "jail", NULL));
    refused();
}
