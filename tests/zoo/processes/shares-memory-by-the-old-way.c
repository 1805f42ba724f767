/* Makes memory and messages that stay when it is gone. */
// gets: closed, exited with code 77
// within: 1500 ms
// trusted: works
#include "zoo.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>

static int made(int id)
{
    if (id >= 0)
        shmctl(id, IPC_RMID, NULL);
    return id;
}

int main(void)
{
    FAILS(made(shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600)));
    FAILS(msgget(IPC_PRIVATE, IPC_CREAT | 0600));
    FAILS(mq_open("/@MARK@", O_CREAT | O_RDWR, 0600, NULL));
    refused();
}
