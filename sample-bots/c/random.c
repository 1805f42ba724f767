/* A bot that plays any legal action, all alike, in C11 and without a library for JSON.
 *
 *   cc -std=gnu11 -O2 -o random random.c                              a process
 *   clang --target=wasm32-wasi -O2 -o random.wasm random.c            a WASI module
 *
 * It reads one JSON message a line from standard input and answers on standard output. A small
 * scanner finds the fields of a message, in any order, without making anything of the rest. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of a line: one JSON value, as it is written there; begin is NULL if there is none. */
struct text {
    const char *begin, *end;
};

static const struct text none = {NULL, NULL};

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}

/* Skips a string, from its first quote to behind its last; NULL if it does not end. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if (*at == '\0')
            return NULL;
    }
    return at + 1;
}

/* Skips any value, with all that is in it; NULL if it does not end. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        at = skip_space(at);
        switch (*at) {
        case '\0':
            return NULL;
        case '"':
            at = skip_string(at);
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

/* The value of a field of an object; names are expected without escapes. */
static struct text field(const char *object, const char *name)
{
    const char *at = skip_space(object);
    if (*at != '{')
        return none;
    for (;;) {
        const char *key = skip_space(at + 1), *key_end, *value, *value_end;
        if (*key != '"' || (key_end = skip_string(key)) == NULL)
            return none;
        value = skip_space(key_end);
        if (*value != ':')
            return none;
        value = skip_space(value + 1);
        value_end = skip_value(value);
        if (value_end == NULL)
            return none;
        if ((size_t)(key_end - key) == strlen(name) + 2 && memcmp(key + 1, name, strlen(name)) == 0)
            return (struct text){value, value_end};
        at = skip_space(value_end);
        if (*at != ',')
            return none;
    }
}

/* Item number `index` of an array; none if there are fewer. `count` takes how many were passed,
 * which is 0 for what is no array. */
static struct text item(struct text array, uint32_t index, uint32_t *count)
{
    const char *at;
    *count = 0;
    if (array.begin == NULL || *array.begin != '[')
        return none;
    at = skip_space(array.begin + 1);
    while (*at != ']') {
        const char *end = skip_value(at);
        if (end != NULL && *count == index)
            return (struct text){at, end};
        at = end == NULL ? "" : skip_space(end);
        if (*at == ',')
            at = skip_space(at + 1);
        else if (*at != ']') {
            *count = 0;
            return none;
        }
        ++*count;
    }
    return none;
}

static int is(struct text value, const char *text)
{
    size_t length = strlen(text);
    return value.begin != NULL && (size_t)(value.end - value.begin) == length &&
           memcmp(value.begin, text, length) == 0;
}

/* The random numbers: SplitMix64, by Steele, Lea and Flood. */
static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number from 0 to bound - 1; for bounds of some hundreds as good as all alike. */
static uint32_t below(uint32_t bound)
{
    return (uint32_t)(((next() >> 32) * bound) >> 32);
}

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "random.c: %s\n", why);
    exit(EXIT_FAILURE);
}

/* Answers a turn. The id and the action go back just as they were written. */
static void act(const char *line)
{
    struct text id = field(line, "id"), actions = field(line, "actions"), action;
    uint32_t count, seen;
    item(actions, UINT32_MAX, &count);
    if (id.begin == NULL || count == 0)
        give_up("a turn without an id or without actions");
    action = item(actions, below(count), &seen);
    printf("{\"type\":\"act\",\"id\":%.*s,\"action\":%.*s}\n", (int)(id.end - id.begin), id.begin,
           (int)(action.end - action.begin), action.begin);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        struct text type = field(line, "type");
        if (is(type, "\"hello\"")) {
            struct text seed = field(line, "seed");
            /* All randomness from this seed: then the same match can be played again. */
            state = seed.begin == NULL ? 0 : strtoull(seed.begin, NULL, 10);
            puts("{\"type\":\"ready\",\"name\":\"random.c\",\"version\":\"1\",\"actions\":true,\"reuse\":true}");
        } else if (is(type, "\"turn\"")) {
            act(line);
        } else if (type.begin == NULL || *type.begin != '"') {
            give_up("a line that is no message");
        } /* "over" needs no answer, and a type of a later version is passed over */
        fflush(stdout); /* the referee waits for the answer */
    }
    free(line);
    return EXIT_SUCCESS;
}
