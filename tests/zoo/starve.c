/* A bot that would have a match void rather than lose it, in one of many ways, @ATTACK@: it fails, and takes all that it
 * can from its opponent and the referee meanwhile. */
#include "zoo.h"
#include <pthread.h>
#include <sys/epoll.h>

static int is(const char *attack) { return strcmp(attack, "@ATTACK@") == 0; }

static void *spin(void *unused)
{
    for (volatile long i = 0;; i++)
        ;
    return unused;
}

static void busy_threads(int number)
{
    for (int i = 0; i < number; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, spin, NULL);
    }
}

static void busy_processes(int number)
{
    for (int i = 0; i < number; i++)
        if (fork() == 0)
            spin(NULL);
}

static void *writes_noise(void *unused)
{
    static char noise[4096];
    memset(noise, 'n', sizeof noise);
    while (write(2, noise, sizeof noise) > 0)
        ;
    return unused;
}

static void *maps(void *unused)
{
    for (;;) {
        char *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; page != MAP_FAILED && i < 1 << 20; i += 4096)
            page[i] = 1;
        if (page != MAP_FAILED)
            munmap(page, 1 << 20);
    }
    return unused;
}

static void watches(void)
{
    int ends[2];
    for (int i = 0; i < 30 && pipe(ends) == 0; i++) {
        int queue = epoll_create1(0);
        for (int fd = 0; fd < 64; fd++) {
            struct epoll_event event = {.events = EPOLLIN};
            epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event);
        }
    }
}

static void attack(void)
{
    if (is("threads")) busy_threads(60);
    if (is("processes")) busy_processes(28);
    if (is("lost-processes")) {
        signal(SIGCHLD, SIG_IGN);
        busy_processes(28);
    }
    if (is("noise")) {
        for (int i = 0; i < 20; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, writes_noise, NULL);
        }
    }
    if (is("maps")) {
        for (int i = 0; i < 20; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, maps, NULL);
        }
    }
    if (is("bomb")) {
        signal(SIGCHLD, SIG_IGN);
        for (;;)
            if (fork() == 0)
                nice(1);
    }
    if (is("malformed")) {
        busy_threads(60);
        say("nonsense\n");
    }
    if (is("too-long")) {
        static char text[70000];
        busy_threads(60);
        memset(text, 'x', sizeof text);
        if (write(1, text, sizeof text) < 0)
            _exit(1);
    }
    if (is("closes")) {
        busy_processes(28);
        close(1);
    }
    if (is("leaves")) {
        busy_processes(28);
        _exit(3);
    }
    if (is("late-answer")) {
        busy_threads(60);
        struct timespec time = {.tv_nsec = 400000000};
        nanosleep(&time, NULL);
        say("{\"type\":\"act\",\"id\":1,\"action\":\"a\"}\n");
    }
    if (is("stops")) {
        busy_processes(28);
        kill(getpid(), SIGSTOP);
    }
    if (is("watches")) {
        watches();
        busy_processes(20);
        for (int i = 0; i < 20; i++)
            if (fork() == 0) {
                watches();
                pause();
            }
    }
    if (is("memory")) {
        busy_threads(40);
        for (;;) {
            char *page = malloc(1 << 20);
            if (page != NULL)
                memset(page, 1, 1 << 20);
        }
    }
}

int main(void)
{
    hear();
    if (is("hello")) {
        busy_threads(60);
        for (;;)
            pause();
    }
    if (is("ready-and-busy"))
        busy_threads(60);
    say("{\"type\":\"ready\"}\n");
    hear();
    attack();
    for (;;)
        pause();
}
