/* An honest bot that computes for half of its time and plays the first legal action. */
#include "zoo.h"

/* Computes until it has used so many microseconds of processor time. */
static void compute(long most)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000000 + (now.tv_nsec - begun.tv_nsec) / 1000 < most);
}

int main(void)
{
    static char line[65536];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[9] == 'h')
            printf("{\"type\":\"ready\",\"actions\":true}\n");
        if (line[9] == 't') {
            int id = atoi(line + 20);
            char *action = strchr(strstr(line, "\"actions\""), '[') + 2;
            action[strcspn(action, "\"")] = '\0';
            compute(@HALF@);
            printf("{\"type\":\"act\",\"id\":%d,\"action\":\"%s\"}\n", id, action);
        }
        fflush(stdout);
    }
}
