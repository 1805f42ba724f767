/* Gives its folders lists of who may do what, of 128 KiB each, which not even a control group counts. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"
#include <sys/xattr.h>

struct entry {
    uint16_t kind, access;
    uint32_t who;
};

static struct {
    uint32_t version;
    struct entry entries[8191];
} list = {.version = 2};

int main(void)
{
    int last = sizeof list.entries / sizeof *list.entries - 1;
    list.entries[0] = (struct entry){1 /* its owner */, 7, -1};
    for (int i = 1; i < last - 2; i++)
        list.entries[i] = (struct entry){2 /* a user */, 7, getuid()};
    list.entries[last - 2] = (struct entry){4 /* its group */, 7, -1};
    list.entries[last - 1] = (struct entry){0x10 /* the most of all these */, 7, -1};
    list.entries[last] = (struct entry){0x20 /* all others */, 7, -1};
    mkdir("folder", 0700);
    FAILS(setxattr("folder", "system.posix_acl_access", &list, sizeof list, 0));
    FAILS(lsetxattr("folder", "system.posix_acl_default", &list, sizeof list, 0));
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    FAILS(fsetxattr(folder, "system.posix_acl_access", &list, sizeof list, 0));
    FAILS(fsetxattr(folder, "user.mine", "x", 1, 0));
    refused();
}
