/* Would lock ranges of files: the system's against programs outside, and for a bot in another jail to see; and its own, without end, which only a control group counts. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

static void try(int file, short kind)
{
    struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = 1L << 40, .l_len = 1};
    FAILS(fcntl(file, F_GETLK, &range));
    FAILS(fcntl(file, F_SETLK, &range));
    FAILS(fcntl(file, F_SETLKW, &range));
    range.l_pid = 0;
    FAILS(fcntl(file, F_OFD_GETLK, &range));
    FAILS(fcntl(file, F_OFD_SETLK, &range));
    FAILS(fcntl(file, F_OFD_SETLKW, &range));
    FAILS(lockf(file, F_TEST, 1));
}

int main(void)
{
    int system = open("/bin/sh", O_RDONLY), own = open("/tmp/@MARK@", O_RDWR | O_CREAT, 0600);
    if (system < 0 || own < 0 || unlink("/tmp/@MARK@") != 0)
        _exit(1);
    try(system, F_RDLCK);
    try(own, F_WRLCK);
    FAILS(fcntl(system, F_SETLEASE, F_RDLCK));
    FAILS(fcntl(open("/tmp", O_RDONLY), F_NOTIFY, 1 /* who reads there */));
    refused();
}
