/* Leaves its root by making another one, the oldest way there is. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works for root
#include "zoo.h"

int main(void)
{
    mkdir("deeper-@MARK@", 0700);
    int old = open(".", O_RDONLY | O_DIRECTORY);
    int changed = chroot("deeper-@MARK@");
    fchdir(old);
    rmdir("deeper-@MARK@");
    if (changed == 0)
        worked("chroot");
    for (int i = 0; i < 100; i++)
        if (chdir("..") != 0)
            break;
    if (access("var", F_OK) == 0 || access("home", F_OK) == 0)
        worked("the machine's root");
    refused();
}
