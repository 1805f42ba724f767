/* A bot that computes on its opponent's turns in one of many ways, @ATTACK@, and tells with each answer how much it
 * did: every process and thread notes each piece of its work in a file. It plays the first legal action. */
#include "zoo.h"
#include <poll.h>
#include <pthread.h>

#define PIECE_US 100
#define PIECES "/tmp/pieces"

static int pieces;
static long rounds;
static volatile int own_turn = 1;
static const char *program;

static long now_us(clockid_t of)
{
    struct timespec time;
    clock_gettime(of, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void turn_round(long times)
{
    for (volatile long i = 0; i < times; i++)
        ;
}

static void nap(long us)
{
    struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* Computes for about so long, and notes it. */
static void compute(long us)
{
    for (long done = 0; done < us; done += PIECE_US) {
        turn_round(rounds);
        if (write(pieces, "x", 1) != 1)
            _exit(1);
    }
}

static void *spin(void *unused)
{
    for (;;)
        compute(1000);
    return unused;
}

static void start_thread(void *(*what)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, what, NULL) != 0)
        _exit(1);
}

/* A process that goes on with this for as long as its parent lives: a test that is killed ends nobody. */
static pid_t helper(void (*what)(void))
{
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        while (getppid() == parent)
            what();
        _exit(0);
    }
    return pid;
}

static void spin_a_while(void) { compute(5000); }

/* A child for 2 ms, reaped, again and again. */
static void short_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        compute(2000);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* The same, and nobody reaps. */
static void short_lost_child(void)
{
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        compute(2000);
        _exit(0);
    }
    nap(2000);
}

/* By vfork, whose parent waits. */
static void short_vfork(void)
{
    signal(SIGCHLD, SIG_IGN);
    if (vfork() == 0) {
        compute(3000);
        _exit(0);
    }
}

/* Each starts its successor and ends: an orphan each. */
static void chain(void)
{
    for (;;) {
        compute(3000);
        if (fork() != 0)
            _exit(0);
    }
}

/* Children that tell nobody when they end. */
static void silent_child(void)
{
    if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0) {
        compute(2000);
        _exit(0);
    }
    nap(2000);
    waitpid(-1, NULL, __WALL | WNOHANG);
}

/* Children of its parent's. */
static void sibling(void)
{
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) {
        compute(2000);
        _exit(0);
    }
    nap(2000);
}

/* Reaps what orphans leave, and counts it nowhere. */
static void grandchildren(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        if (fork() == 0)
            compute(2000);
        _exit(0);
    }
    nap(2000);
}

/* Works for 4 ms of 40. */
static void bursts(void)
{
    compute(4000);
    nap(36000);
}

/* Fills pages, and gives them back. */
static void faults(void)
{
    char *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        for (int i = 0; i < 1 << 20; i += 4096)
            page[i] = 1;
        munmap(page, 1 << 20);
    }
    compute(PIECE_US);
}

static void writes_to_itself(void)
{
    static char bytes[65536];
    static int ends[2];
    if (ends[1] == 0 && pipe(ends) != 0)
        _exit(1);
    if (write(ends[1], bytes, sizeof bytes) < 0 || read(ends[0], bytes, sizeof bytes) < 0)
        _exit(1);
    compute(PIECE_US);
}

static void floods(void)
{
    if (write(2, "nothing but noise, line after line\n", 35) < 0)
        _exit(1);
    compute(PIECE_US);
}

/* Stops its child and lets it go on, all the time. */
static pid_t stopped;
static void storms(void)
{
    kill(stopped, SIGSTOP);
    nap(500);
    kill(stopped, SIGCONT);
    compute(1000);
}

static void *works_a_moment(void *unused)
{
    compute(1000);
    return unused;
}

/* Threads that come and go. */
static void *short_threads(void *unused)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, works_a_moment, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

/* The first thread has ended, and another one goes on. */
static void leaderless(void)
{
    start_thread(spin);
    pthread_exit(NULL);
}

static void nices(void)
{
    nice(19);
    setpriority(PRIO_PROCESS, 0, 19);
    compute(5000);
}

/* Not when it has been asked: then it is its own turn. */
static void alarmed(int signal)
{
    struct pollfd asked = {.fd = 0, .events = POLLIN};
    (void)signal;
    if (!own_turn && poll(&asked, 1, 0) == 0)
        compute(3000);
}

/* Computes in the handler of a timer. */
static void timers(void)
{
    struct itimerval each = {{0, 6000}, {0, 6000}};
    signal(SIGALRM, alarmed);
    setitimer(ITIMER_REAL, &each, NULL);
}

/* Begins when the first looks are over. */
static void *sleeper(void *unused)
{
    for (;;) {
        nap(60000);
        compute(25000);
    }
    return unused;
}

/* Children with much time of their own turn, dead or not, that vanish while another one works. */
#define CREDITS 12
static pid_t credits[CREDITS];

static void take_credit(int lost)
{
    char byte;
    int ends[2], begun = 0;
    if (lost)
        signal(SIGCHLD, SIG_IGN);
    if (pipe(ends) != 0)
        return;
    for (int i = 0; i < CREDITS; i++) {
        if (credits[i] > 0)
            continue;
        credits[i] = fork();
        if (credits[i] == 0) {
            turn_round(rounds * 100);
            if (write(ends[1], "x", 1) == 1)
                pause();
            _exit(0);
        }
        begun += credits[i] > 0;
    }
    /* All have what they are to have. */
    while (begun-- > 0 && read(ends[0], &byte, 1) == 1)
        ;
    close(ends[0]);
    close(ends[1]);
}

static void *spends_credit(void *unused)
{
    for (int i = 0;;) {
        if (own_turn) {
            nap(1000);
            continue;
        }
        if (credits[i % CREDITS] > 0) {
            kill(credits[i % CREDITS], SIGKILL);
            if (signal(SIGCHLD, SIG_DFL) != SIG_IGN)
                waitpid(credits[i % CREDITS], NULL, 0);
            else
                signal(SIGCHLD, SIG_IGN);
            credits[i % CREDITS] = 0;
        }
        i++;
        compute(4000);
    }
    return unused;
}

/* Timers that let it go on whenever it is stopped. */
static void goes_on(int signal)
{
    (void)signal;
    kill(-1, SIGCONT);
}

static void defies(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    struct itimerspec each = {{0, 3000000}, {0, 3000000}};
    timer_t timer;
    signal(SIGCONT, goes_on);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &each, NULL);
    start_thread(spin);
}

/* Executes itself again and again, and works in between. */
static void executes_itself(void)
{
    if (fork() == 0) {
        compute(2000);
        execl(program, program, "again", (char *)NULL);
        _exit(1);
    }
}

static int is(const char *attack) { return strcmp(attack, "@ATTACK@") == 0; }

static void begin(void)
{
    if (is("spins")) start_thread(spin);
    if (is("child")) helper(spin_a_while);
    if (is("children")) helper(short_child);
    if (is("lost-children")) helper(short_lost_child);
    if (is("vforks")) helper(short_vfork);
    if (is("chain")) helper(chain);
    if (is("silent")) helper(silent_child);
    if (is("siblings")) helper(sibling);
    if (is("grandchildren")) helper(grandchildren);
    if (is("bursts")) helper(bursts);
    if (is("faults")) helper(faults);
    if (is("pipes")) helper(writes_to_itself);
    if (is("floods")) helper(floods);
    if (is("storms")) {
        stopped = helper(spin_a_while);
        helper(storms);
    }
    if (is("threads")) start_thread(short_threads);
    if (is("leaderless")) helper(leaderless);
    if (is("nices")) helper(nices);
    if (is("timers")) timers();
    if (is("sleeps")) start_thread(sleeper);
    if (is("credit") || is("lost-credit")) start_thread(spends_credit);
    if (is("defies")) defies();
    if (is("execs")) executes_itself();
}

static long noted(void)
{
    struct stat stat;
    return fstat(pieces, &stat) == 0 ? stat.st_size * PIECE_US : -1;
}

static void calibrate(void)
{
    rounds = 10000;
    for (int i = 0; i < 5; i++) {
        long begun = now_us(CLOCK_THREAD_CPUTIME_ID);
        turn_round(rounds * 10);
        long took = now_us(CLOCK_THREAD_CPUTIME_ID) - begun;
        rounds = rounds * 10 * PIECE_US / (took > 0 ? took : 1);
    }
}

int main(int count, char **words)
{
    static char line[65536];
    long before;
    program = words[0];
    pieces = open(PIECES, O_WRONLY | O_APPEND | O_CREAT, 0600);
    calibrate();
    if (count > 1) {
        for (;;)
            executes_itself(), wait(NULL);
    }
    if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    begin();
    printf("{\"type\":\"ready\",\"actions\":true}\n");
    fflush(stdout);
    before = noted();
    own_turn = 0;
    while (fgets(line, sizeof line, stdin) != NULL && line[9] == 't') {
        long gained = noted() - before;
        int id = atoi(line + 20);
        char *action = strchr(strstr(line, "\"actions\""), '[') + 2;
        own_turn = 1;
        action[strcspn(action, "\"")] = '\0';
        if (is("credit") || is("lost-credit"))
            take_credit(is("lost-credit"));
        own_turn = 0;
        printf("{\"type\":\"act\",\"id\":%d,\"action\":\"%s\",\"note\":\"%ld\"}\n", id, action, gained);
        before = noted();
        fflush(stdout);
    }
}
