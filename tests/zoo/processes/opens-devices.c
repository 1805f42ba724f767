/* Opens the devices of the machine, or makes them. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"
#include <sys/sysmacros.h>

int main(void)
{
    FAILS(open("/dev/mem", O_RDONLY));
    FAILS(open("/dev/kmsg", O_RDONLY));
    FAILS(open("/dev/fuse", O_RDWR));
    FAILS(open("/dev/kvm", O_RDWR));
    FAILS(open("/dev/net/tun", O_RDWR));
    FAILS(open("/dev/vda", O_RDONLY));
    FAILS(open("/dev/sda", O_RDONLY));
    FAILS(mknod("/tmp/mem", S_IFCHR | 0600, makedev(1, 1)));
    FAILS(mknod("/tmp/disk", S_IFBLK | 0600, makedev(254, 0)));
    refused();
}
