/* Sends each signal to everybody it can see. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (int number = 1; number <= 64; number++) {
        kill(-1, number);
        kill(1, number);
    }
    refused();
}
