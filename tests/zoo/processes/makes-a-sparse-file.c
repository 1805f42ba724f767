/* Makes a file of a terabyte that has nothing in it. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    int file = open("sparse-@MARK@", O_CREAT | O_RDWR, 0600);
    unlink("sparse-@MARK@");
    FAILS(ftruncate(file, 1LL << 40));
    FAILS(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1LL << 31));
    refused();
}
