/* Writes into as many sockets as it gets, and reads nothing: the kernel keeps it all. A control group counts that;
 * where there is none, the sockets are counted. */
// gets: memory
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (;;) {
        if (fork() == 0) {
            static char bytes[65536];
            int pair[2];
            while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0)
                for (int i = 0; i < 2; i++)
                    while (write(pair[i], bytes, sizeof bytes) > 0)
                        ;
            pause();
        }
        usleep(1000);
    }
}
