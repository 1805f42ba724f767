/* A kit for Flipside bots in C11, without a library: this one header.
 *
 * A bot is a function from a turn to an action:
 *
 *     #include "flipside.h"
 *     static const char *choose(struct fs_turn *turn)
 *     {
 *         return turn->actions[fs_below(turn, turn->count)];
 *     }
 *     int main(void)
 *     {
 *         return fs_run("mybot", choose);
 *     }
 *
 * The kit keeps the protocol: ids, flushing, the end of the input, and a new match in the same process. In a process,
 * standard output is standard error while the bot runs, also for children, because standard output belongs to the
 * referee. A WASI module has no such protection: there, write to stderr only.
 *
 * Views are read where they are, without building anything: fs_get and fs_at find a value inside a value. This reader
 * is made for the referee's lines. It does not check that a text is JSON, and fs_text reads no escapes but of quotes and
 * backslashes; views contain none. `flipside rules GAME` explains the fields of a view. */
#ifndef FLIPSIDE_H
#define FLIPSIDE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef __wasi__
#include <fcntl.h>
#include <unistd.h>
#endif

/* A value of JSON as it stands in a line; begin is NULL if it is missing. */
struct fs_json {
    const char *begin, *end;
};

struct fs_turn {
    /* The match: the whole message hello (with options, bot_options and limits), the game's id, the seat of this bot
     * from 0, and the number of seats. */
    struct fs_json hello;
    const char *game;
    int seat, seats;
    /* The number of the question, from 1. */
    long id;
    /* Everything that this seat may see now. */
    struct fs_json view;
    /* What happened since this bot's last turn, the oldest first: an array. Each event has one of the fields acts,
     * chance, fault and missed; `flipside protocol` describes them. */
    struct fs_json events;
    /* The legal actions in byte order, each ended by a zero byte. */
    const char **actions;
    uint32_t count;
    /* The state of fs_random. It follows from the bot's seed. */
    uint64_t random;
    /* The time for this move when the turn arrived, and when that was; see fs_time_left. */
    long given;
    struct timespec arrived;
    /* Anything that the bot wants to keep until its next turn. It is NULL when a match begins. */
    void *memo;
};

typedef const char *fs_choose(struct fs_turn *turn);

/* ---- Reading JSON ---- */

static inline const char *fs_skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

/* Skips a string, from its first quote to behind its last; NULL if it does not end. */
static inline const char *fs_skip_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if (*at == '\0')
            return NULL;
    }
    return at + 1;
}

/* Skips any value with everything in it; NULL if it does not end. */
static inline const char *fs_skip_value(const char *at)
{
    size_t depth = 0;
    do {
        at = fs_skip_space(at);
        switch (*at) {
        case '\0':
            return NULL;
        case '"':
            at = fs_skip_string(at);
            if (at == NULL)
                return NULL;
            break;
        case '[':
        case '{':
            depth++;
            at++;
            break;
        case ']':
        case '}':
            if (depth == 0)
                return NULL;
            depth--;
            at++;
            break;
        case ',':
        case ':':
            if (depth == 0)
                return NULL;
            at++;
            break;
        default: /* a number, true, false or null */
            at += strcspn(at, " \t\r\n,:[]{}\"");
        }
    } while (depth > 0);
    return at;
}

/* The field of an object; missing if there is none. */
static inline struct fs_json fs_get(struct fs_json object, const char *name)
{
    const struct fs_json missing = {NULL, NULL};
    const char *at;
    if (object.begin == NULL || *(at = fs_skip_space(object.begin)) != '{')
        return missing;
    for (;;) {
        const char *key = fs_skip_space(at + 1), *key_end, *value, *value_end;
        if (*key != '"' || (key_end = fs_skip_string(key)) == NULL)
            return missing;
        value = fs_skip_space(key_end);
        if (*value != ':')
            return missing;
        value = fs_skip_space(value + 1);
        value_end = fs_skip_value(value);
        if (value_end == NULL)
            return missing;
        if ((size_t)(key_end - key) == strlen(name) + 2 && memcmp(key + 1, name, strlen(name)) == 0)
            return (struct fs_json){value, value_end};
        at = fs_skip_space(value_end);
        if (*at != ',')
            return missing;
    }
}

/* Walks through an array: start with at = NULL, and go on while it returns 1. Each step sets item. */
static inline int fs_next(struct fs_json array, const char **at, struct fs_json *item)
{
    const char *begin;
    if (array.begin == NULL || *array.begin != '[')
        return 0;
    begin = fs_skip_space(*at == NULL ? array.begin + 1 : *at);
    if (*at != NULL && *begin == ',')
        begin = fs_skip_space(begin + 1);
    if (*begin == ']' || *begin == '\0' || (*at = fs_skip_value(begin)) == NULL)
        return 0;
    *item = (struct fs_json){begin, *at};
    return 1;
}

/* The number of items of an array. */
static inline uint32_t fs_count(struct fs_json array)
{
    const char *at = NULL;
    struct fs_json item;
    uint32_t count = 0;
    while (fs_next(array, &at, &item))
        count++;
    return count;
}

/* An item of an array, counted from 0; missing if there are fewer. */
static inline struct fs_json fs_at(struct fs_json array, uint32_t place)
{
    const char *at = NULL;
    struct fs_json item = {NULL, NULL};
    while (fs_next(array, &at, &item))
        if (place-- == 0)
            return item;
    return (struct fs_json){NULL, NULL};
}

/* Whether a value is missing or null. */
static inline int fs_is_null(struct fs_json value)
{
    return value.begin == NULL || *value.begin == 'n';
}

/* Whether a value is this string. */
static inline int fs_is(struct fs_json value, const char *text)
{
    size_t length = strlen(text);
    return value.begin != NULL && (size_t)(value.end - value.begin) == length + 2 && *value.begin == '"' &&
           memcmp(value.begin + 1, text, length) == 0;
}

/* Whether a value is true. */
static inline int fs_is_true(struct fs_json value)
{
    return value.begin != NULL && *value.begin == 't';
}

/* A whole number; 0 if the value is none. */
static inline int64_t fs_number(struct fs_json value)
{
    return value.begin == NULL ? 0 : strtoll(value.begin, NULL, 10);
}

/* Copies a string into a buffer of this size, ended by a zero byte, and cuts it if it is longer. Returns the buffer. */
static inline char *fs_text(struct fs_json value, char *buffer, size_t size)
{
    size_t length = 0;
    if (value.begin != NULL && *value.begin == '"')
        for (const char *at = value.begin + 1; at < value.end - 1 && length + 1 < size; at++) {
            if (*at == '\\')
                at++;
            buffer[length++] = *at;
        }
    if (size > 0)
        buffer[length] = '\0';
    return buffer;
}

/* ---- Random numbers and time ---- */

/* Random bits that follow from the bot's seed: SplitMix64, by Steele, Lea and Flood. */
static inline uint64_t fs_random(struct fs_turn *turn)
{
    uint64_t z = (turn->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number from 0 to bound - 1, for bounds of some thousands. */
static inline uint32_t fs_below(struct fs_turn *turn, uint32_t bound)
{
    return (uint32_t)(((fs_random(turn) >> 32) * bound) >> 32);
}

/* The milliseconds that are left for this move. A module has no real clock: count work there. */
static inline long fs_time_left(const struct fs_turn *turn)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return turn->given - (long)(now.tv_sec - turn->arrived.tv_sec) * 1000 -
           (now.tv_nsec - turn->arrived.tv_nsec) / 1000000;
}

/* ---- The conversation ---- */

static inline _Noreturn void fs_fail(const char *why)
{
    fprintf(stderr, "flipside.h: %s\n", why);
    exit(EXIT_FAILURE);
}

static inline char *fs_keep(const char *begin, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        fs_fail("no memory");
    memcpy(copy, begin, length);
    copy[length] = '\0';
    return copy;
}

static inline void fs_free_actions(struct fs_turn *turn)
{
    for (uint32_t place = 0; place < turn->count; place++)
        free((char *)turn->actions[place]);
    free(turn->actions);
    turn->actions = NULL;
    turn->count = 0;
}

/* Begins a match; what was kept of the one before is freed. */
static inline void fs_hello(struct fs_turn *turn, struct fs_json line)
{
    struct fs_json game;
    if (fs_number(fs_get(line, "protocol")) != 1)
        fs_fail("this kit speaks version 1 of the protocol");
    fs_free_actions(turn);
    free((char *)turn->hello.begin);
    free((char *)turn->game);
    memset(turn, 0, sizeof *turn);
    turn->hello.begin = fs_keep(line.begin, (size_t)(line.end - line.begin));
    turn->hello.end = turn->hello.begin + (line.end - line.begin);
    game = fs_get(line, "game");
    if (game.begin == NULL)
        fs_fail("hello names no game");
    turn->game = fs_keep(game.begin + 1, (size_t)(game.end - game.begin) - 2);
    turn->seat = (int)fs_number(fs_get(line, "seat"));
    turn->seats = (int)fs_number(fs_get(line, "seats"));
    turn->random = (uint64_t)fs_number(fs_get(line, "seed"));
}

/* Reads a turn. */
static inline void fs_read_turn(struct fs_turn *turn, struct fs_json line)
{
    static const char none[] = "[]";
    struct fs_json actions = fs_get(line, "actions"), item;
    const char *at = NULL;
    uint32_t count = fs_count(actions), place = 0;
    clock_gettime(CLOCK_MONOTONIC, &turn->arrived);
    fs_free_actions(turn);
    turn->id = (long)fs_number(fs_get(line, "id"));
    turn->view = fs_get(line, "view");
    turn->events = fs_get(line, "events");
    if (turn->events.begin == NULL)
        turn->events = (struct fs_json){none, none + 2};
    turn->given = (long)fs_number(fs_at(fs_get(line, "clocks"), (uint32_t)turn->seat));
    turn->actions = calloc(count + 1, sizeof *turn->actions);
    if (turn->actions == NULL)
        fs_fail("no memory");
    for (; place < count && fs_next(actions, &at, &item); place++) {
        size_t size = (size_t)(item.end - item.begin);
        turn->actions[place] = fs_text(item, fs_keep(item.begin, size), size + 1);
        turn->count = place + 1;
    }
}

/* Writes a string as JSON. */
static inline void fs_write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            putc(*text, out);
    }
    putc('"', out);
}

/* The stream to the referee. From now on, standard output is standard error. */
static inline FILE *fs_take_stdout(void)
{
#ifdef __wasi__
    return stdout;
#else
    /* Children do not get the copy: only the bot itself speaks with the referee. */
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        fs_fail("cannot keep standard output for the referee");
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    return out;
#endif
}

/* Plays until the referee ends the input; returns the exit code. */
static inline int fs_run(const char *name, fs_choose *choose)
{
    struct fs_turn turn;
    FILE *out = fs_take_stdout();
    char *text = NULL;
    size_t size = 0;
    int playing = 0;
    ssize_t length;
    memset(&turn, 0, sizeof turn);
    while ((length = getline(&text, &size, stdin)) > 0) {
        struct fs_json line = {text, text + length}, type = fs_get(line, "type");
        if (fs_is(type, "hello")) {
            fs_hello(&turn, line);
            playing = 1;
            fputs("{\"type\":\"ready\",\"name\":", out);
            fs_write_text(out, name);
            fputs(",\"version\":\"1\",\"actions\":true,\"reuse\":true,\"events\":true}\n", out);
        } else if (fs_is(type, "turn")) {
            const char *action;
            if (!playing)
                fs_fail("a turn came before hello");
            fs_read_turn(&turn, line);
            action = choose(&turn);
            if (action == NULL)
                fs_fail("the bot's function returned NULL, which is not an action");
            fprintf(out, "{\"type\":\"act\",\"id\":%ld,\"action\":", turn.id);
            fs_write_text(out, action);
            fputs("}\n", out);
        } else if (fs_is(type, "over")) {
            playing = 0;
        } else if (type.begin == NULL) {
            fs_fail("a line is not a message");
        }
        if (fflush(out) != 0)
            break; /* The referee no longer listens. */
    }
    fs_free_actions(&turn);
    free((char *)turn.hello.begin);
    free((char *)turn.game);
    free(text);
    return EXIT_SUCCESS;
}

#endif
