/* Would let the kernel keep sets of rules, of 65536 ports each: only a control group counts them. */
// gets: closed, exited with code 77
// within: 1500 ms
#include "zoo.h"

int main(void)
{
    uint64_t rules[3] = {0, 3 /* ports to listen at and to connect to */, 0};
    char rule[10] = {1};
    int set = syscall(SYS_landlock_create_ruleset, rules, sizeof rules, 0);
    FAILS(set);
    FAILS(syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* what version there is */));
    FAILS(syscall(SYS_landlock_add_rule, set, 2 /* for a port */, rule, 0));
    FAILS(syscall(SYS_landlock_restrict_self, set, 0));
    refused();
}
