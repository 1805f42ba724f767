/* Would lock files, whole and in ranges: the system's against programs outside, and for a bot in another jail to see; and its own, without end, which only a control group counts. The locks are granted and do nothing: another process sees none. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <sys/file.h>

/* Whether another process finds the file locked. */
_Noreturn static void look(const char *name, int flags)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(name, flags);
    if (file < 0 || fcntl(file, F_GETLK, &range) != 0)
        _exit(1);
    _exit(range.l_type != F_UNLCK || flock(file, LOCK_EX | LOCK_NB) != 0 ? 66 : 77);
}

static void lock(const char *name, int flags, short kind)
{
    struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = 1L << 40, .l_len = 1};
    int status, file = open(name, flags, 0600);
    if (file < 0)
        _exit(1);
    flock(file, LOCK_EX);
    fcntl(file, F_SETLK, &range);
    fcntl(file, F_SETLKW, &range);
    fcntl(file, F_OFD_SETLK, &range);
    fcntl(file, F_OFD_SETLKW, &range);
    if (fork() == 0)
        look(name, flags & O_ACCMODE);
    wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 77)
        worked(name);
    FAILS(fcntl(file, F_SETLEASE, F_RDLCK));
}

int main(void)
{
    lock("/bin/sh", O_RDONLY, F_RDLCK);
    lock("/dev/null", O_RDWR, F_WRLCK);
    lock("/tmp/@MARK@", O_RDWR | O_CREAT, F_WRLCK);
    unlink("/tmp/@MARK@");
    FAILS(fcntl(open("/tmp", O_RDONLY), F_NOTIFY, 1 /* who reads there */));
    refused();
}
