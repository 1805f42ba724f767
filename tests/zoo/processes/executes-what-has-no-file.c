/* Executes a program that lies in no file. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    FAILS(syscall(SYS_memfd_create, "@MARK@", 0));
    FAILS(syscall(SYS_memfd_secret, 0));
    refused();
}
