/* Its children take memory until the kernel ends them, again and again; it takes none, and would play on. */
// gets: memory
// within: 1500 ms
// alone: yes
#include "zoo.h"

int main(void)
{
    for (;;) {
        pid_t child = fork();
        if (child == 0)
            for (;;) {
                char *piece = malloc(1 << 20);
                if (piece != NULL)
                    memset(piece, 1, 1 << 20);
            }
        waitpid(child, NULL, 0);
    }
}
