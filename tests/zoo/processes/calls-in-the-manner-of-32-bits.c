/* Calls the kernel in another manner, whose numbers mean other things. */
// gets: crashed, signal 31
// within: 1500 ms
#include "zoo.h"

int main(void)
{
#ifdef __x86_64__
    int number = 20; /* getpid there, writev here */
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
    worked("a call of 32 bits");
#else
    raise(SIGSYS);
#endif
}
