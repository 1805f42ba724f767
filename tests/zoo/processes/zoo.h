/* What the hostile bots in C share: how they say what came of an attack. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The attack did nothing, as it must be. */
_Noreturn static inline void refused(void)
{
    _exit(77);
}

/* It worked: a wall is missing. */
_Noreturn static inline void worked(const char *what)
{
    dprintf(2, "WORKED: %s\n", what);
    _exit(66);
}

/* A call that must fail. */
#define FAILS(call)             \
    do {                        \
        if ((long)(call) != -1) \
            worked(#call);      \
    } while (0)

/* Reads a line, and forgets it. */
static inline void hear(void)
{
    char byte = 0;
    while (byte != '\n' && read(0, &byte, 1) == 1)
        ;
}

/* Writes a text. */
static inline void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(1);
}
