/*
 * A witness for four board games: flipflop-3x3, flipflop-5x5, flipfour, yonmoque.
 * It was written from the rule pages alone, to check another engine, and it is
 * slow and plain on purpose: no hash tables, no bitboards, no bulk counting.
 *
 *   cc -O2 -o perft perft.c
 *
 *   perft GAME DEPTH [MAX_PLIES]
 *       For N = 1..DEPTH print "GAME N COUNT". COUNT is the number of sequences
 *       of N actions from the start. A sequence cannot go on after a game end;
 *       one whose Nth action ends the game is counted.
 *
 *   perft GAME --walk SEED COUNT [MAX_PLIES]
 *       Play COUNT random games. One line each: the actions with spaces between
 *       them, then " | ", then "points0 points1 reason".
 *
 *   perft GAME --moves [--limit MAX_PLIES] ACTION...
 *       Play the actions, then print the legal actions in byte order, one on a
 *       line, or "over points0 points1 reason". Exit code 1 if an action is not
 *       legal or comes after the end.
 *
 * Random numbers: s is 64 bits and starts as SEED. For each ply
 *       s = s * 6364136223846793005 + 1442695040888963407   (mod 2^64)
 * and the action taken is number (s >> 33) mod n, counted from 0, in the list of
 * the n legal actions in byte order. s goes on from one game to the next.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLIPFLOP, FLIPFOUR, YONMOQUE };

/* The contents of a square. Seat 0 is White in FlipFlop and FlipFour, Blue in
 * Yonmoque. A piece is 1 + 2 * seat + face. Yonmoque only uses face PLUS. */
enum { EMPTY = 0 };
enum { PLUS = 0, CROSS = 1 };

#define MAX_SQUARES 25
#define MAX_MOVES 512
#define MAX_LIMIT 2000 /* the largest max_plies this program takes */
#define MAX_DEPTH 60
#define TEXT 8

typedef struct {
    int8_t board[MAX_SQUARES]; /* square = rank * size + file, so a1 is 0 */
    int8_t hand[2];
    int8_t side; /* the seat to move */
} Position;

typedef struct {
    int8_t from; /* -1: a piece from the hand */
    int8_t to;
    int8_t face;    /* the face put up, FlipFour placements only */
    int8_t capture; /* 1: an enemy piece stands on "to" */
} Move;

typedef struct {
    enum kind kind;
    int size;
    int max_plies;
    Position now;
    int over;   /* 1: the game has ended */
    int winner; /* a seat, or -1 for a draw */
    const char *reason;
    int plies;
    Position history[MAX_LIMIT + 1]; /* 0..plies; the last one equals now */
} Game;

/* Eight directions, (file, rank). The first four are the rook's, the others the
 * bishop's. Direction d and the one at OPPOSITE(d) point opposite ways. */
static const int DX[8] = {1, 0, -1, 0, 1, -1, -1, 1};
static const int DY[8] = {0, 1, 0, -1, 1, 1, -1, -1};
#define OPPOSITE(d) ((d) < 4 ? ((d) + 2) % 4 : 4 + ((d) - 4 + 2) % 4)

/* The colours of Yonmoque's board, rank 5 first as on the page. */
static const char *const COLOURS[5] = {
    "NWBWN",
    "WBWBW",
    "BWNWB",
    "WBWBW",
    "NWBWN",
};

static int piece(int seat, int face) { return 1 + 2 * seat + face; }
static int owner(int p) { return (p - 1) / 2; }
static int face(int p) { return (p - 1) % 2; }
static int is_of(int p, int seat) { return p != EMPTY && owner(p) == seat; }

/* The square next to (x, y) "distance" squares along d, or -1 off the board. */
static int along(const Game *g, int square, int d, int distance)
{
    int x = square % g->size + DX[d] * distance;
    int y = square / g->size + DY[d] * distance;
    if (x < 0 || x >= g->size || y < 0 || y >= g->size)
        return -1;
    return y * g->size + x;
}

/* FlipFlop: the goal on the home rank of a seat is its middle square. */
static int goal_of(const Game *g, int seat)
{
    int rank = seat == 0 ? 0 : g->size - 1;
    return rank * g->size + g->size / 2;
}

/* Yonmoque: does the square have the colour of the seat? */
static int own_colour(int square, int seat)
{
    char colour = COLOURS[4 - square / 5][square % 5];
    return colour == (seat == 0 ? 'B' : 'W');
}

/* ---- legal actions ---- */

static int add(Move *list, int n, int from, int to, int up, int capture)
{
    if (n == MAX_MOVES) {
        fprintf(stderr, "too many moves\n");
        exit(2);
    }
    list[n].from = (int8_t)from;
    list[n].to = (int8_t)to;
    list[n].face = (int8_t)up;
    list[n].capture = (int8_t)capture;
    return n + 1;
}

/* FlipFlop: go through empty squares; an enemy on a goal square can be taken;
 * any other piece stops the way. */
static int generate_flipflop(const Game *g, Move *list)
{
    const Position *p = &g->now;
    int n = 0;
    for (int from = 0; from < g->size * g->size; from++) {
        if (!is_of(p->board[from], p->side))
            continue;
        int first = face(p->board[from]) == PLUS ? 0 : 4;
        for (int d = first; d < first + 4; d++) {
            for (int k = 1;; k++) {
                int to = along(g, from, d, k);
                if (to < 0)
                    break;
                if (p->board[to] == EMPTY) {
                    n = add(list, n, from, to, 0, 0);
                    continue;
                }
                int is_goal = to == goal_of(g, 0) || to == goal_of(g, 1);
                if (is_goal && is_of(p->board[to], 1 - p->side))
                    n = add(list, n, from, to, 0, 1);
                break;
            }
        }
    }
    return n;
}

/* FlipFour: place either face on an empty square, or move to any empty square
 * on the lines of the piece; pieces between do not matter. */
static int generate_flipfour(const Game *g, Move *list)
{
    const Position *p = &g->now;
    int n = 0;
    for (int to = 0; to < 25 && p->hand[p->side] > 0; to++) {
        if (p->board[to] != EMPTY)
            continue;
        n = add(list, n, -1, to, PLUS, 0);
        n = add(list, n, -1, to, CROSS, 0);
    }
    for (int from = 0; from < 25; from++) {
        if (!is_of(p->board[from], p->side))
            continue;
        int first = face(p->board[from]) == PLUS ? 0 : 4;
        for (int d = first; d < first + 4; d++) {
            for (int k = 1;; k++) {
                int to = along(g, from, d, k);
                if (to < 0)
                    break;
                if (p->board[to] == EMPTY)
                    n = add(list, n, from, to, 0, 0);
            }
        }
    }
    return n;
}

/* Yonmoque: put on any empty square; or step one square in any direction; or
 * slide two or more squares diagonally, where the square left, every square
 * passed and the square reached have the colour of the mover. */
static int generate_yonmoque(const Game *g, Move *list)
{
    const Position *p = &g->now;
    int n = 0;
    for (int to = 0; to < 25 && p->hand[p->side] > 0; to++) {
        if (p->board[to] == EMPTY)
            n = add(list, n, -1, to, PLUS, 0);
    }
    for (int from = 0; from < 25; from++) {
        if (!is_of(p->board[from], p->side))
            continue;
        for (int d = 0; d < 8; d++) { /* steps */
            int to = along(g, from, d, 1);
            if (to >= 0 && p->board[to] == EMPTY)
                n = add(list, n, from, to, 0, 0);
        }
        if (!own_colour(from, p->side))
            continue;
        for (int d = 4; d < 8; d++) { /* slides */
            for (int k = 1;; k++) {
                int to = along(g, from, d, k);
                if (to < 0 || p->board[to] != EMPTY || !own_colour(to, p->side))
                    break;
                if (k >= 2) /* one square is the step, listed already */
                    n = add(list, n, from, to, 0, 0);
            }
        }
    }
    return n;
}

static int generate(const Game *g, Move *list)
{
    switch (g->kind) {
    case FLIPFLOP:
        return generate_flipflop(g, list);
    case FLIPFOUR:
        return generate_flipfour(g, list);
    default:
        return generate_yonmoque(g, list);
    }
}

/* ---- one action ---- */

/* The number of squares of a seat that stand unbroken in a line through
 * "square", in direction d and its opposite, with "square" itself. */
static int line_through(const Game *g, int square, int seat, int d)
{
    int count = 1;
    for (int turn = 0; turn < 2; turn++) {
        int way = turn == 0 ? d : OPPOSITE(d);
        for (int k = 1;; k++) {
            int s = along(g, square, way, k);
            if (s < 0 || !is_of(g->now.board[s], seat))
                break;
            count++;
        }
    }
    return count;
}

/* The longest line of a seat through a square that it holds. Directions 0, 1, 4
 * and 5 are the row, the column and the two diagonals. */
static int longest_line(const Game *g, int square, int seat)
{
    static const int ways[4] = {0, 1, 4, 5};
    int best = 0;
    for (int i = 0; i < 4; i++) {
        int count = line_through(g, square, seat, ways[i]);
        if (count > best)
            best = count;
    }
    return best;
}

static void finish(Game *g, int winner, const char *reason)
{
    g->over = 1;
    g->winner = winner;
    g->reason = reason;
}

/* Yonmoque: flip what the piece on "to" has closed in. Mark the squares. */
static void flip_runs(Game *g, int to, int seat, int *became)
{
    int8_t after[MAX_SQUARES];
    memcpy(after, g->now.board, sizeof after);
    for (int d = 0; d < 8; d++) {
        int k = 1;
        int s = along(g, to, d, k);
        while (s >= 0 && is_of(g->now.board[s], 1 - seat))
            s = along(g, to, d, ++k);
        /* s is now the first square that holds no enemy piece */
        if (s < 0 || !is_of(g->now.board[s], seat))
            continue;
        for (int i = 1; i < k; i++) {
            int flipped = along(g, to, d, i);
            after[flipped] = (int8_t)piece(seat, PLUS);
            became[flipped] = 1;
        }
    }
    memcpy(g->now.board, after, sizeof after);
}

/* Do a legal action and then judge the game. */
static void play(Game *g, Move m)
{
    Position *p = &g->now;
    int seat = p->side;
    int next = 1 - seat;
    int became[MAX_SQUARES] = {0}; /* squares that this action made the seat's */

    /* 1. Change the board. */
    if (m.from < 0) {
        p->hand[seat]--;
        p->board[m.to] = (int8_t)piece(seat, m.face);
    } else {
        int up = face(p->board[m.from]);
        if (g->kind != YONMOQUE)
            up = 1 - up; /* every move turns the moved piece over */
        p->board[m.from] = EMPTY;
        p->board[m.to] = (int8_t)piece(seat, up); /* a captured piece is gone */
    }
    became[m.to] = 1;
    if (g->kind == YONMOQUE && m.from >= 0)
        flip_runs(g, m.to, seat, became);
    p->side = (int8_t)next;
    g->plies++;
    g->history[g->plies] = *p;

    /* 2. What the action itself decides. */
    if (g->kind == FLIPFOUR) {
        /* Four in line are all the four pieces there are. */
        if (longest_line(g, m.to, seat) >= 4) {
            finish(g, seat, "line");
            return;
        }
    }
    if (g->kind == YONMOQUE) {
        int longest = 0;
        for (int s = 0; s < 25; s++) {
            if (became[s]) {
                int length = longest_line(g, s, seat);
                if (length > longest)
                    longest = length;
            }
        }
        if (longest >= 5) { /* five loses, by a put too, and comes before four */
            finish(g, next, "five");
            return;
        }
        if (longest == 4 && m.from >= 0) { /* four wins, by a move only */
            finish(g, seat, "four");
            return;
        }
    }

    /* 3. What is judged at the start of the next turn. */
    if (g->kind == FLIPFLOP) {
        /* The next side has a piece on the goal of the side that just moved:
         * that side had its one turn to take it and did not. */
        if (is_of(p->board[goal_of(g, seat)], next)) {
            finish(g, next, "goal");
            return;
        }
    }
    Move list[MAX_MOVES];
    if (generate(g, list) == 0) {
        finish(g, seat, "no-moves");
        return;
    }

    /* 4. The third time of the same board, hands and side. */
    int times = 0;
    for (int i = 0; i <= g->plies; i++) {
        if (memcmp(&g->history[i], p, sizeof *p) == 0)
            times++;
    }
    if (times >= 3) {
        finish(g, -1, "repetition");
        return;
    }

    /* 5. The limit. */
    if (g->plies >= g->max_plies)
        finish(g, -1, "limit");
}

/* ---- start, copy, text ---- */

static void start(Game *g, const char *name, int max_plies)
{
    int limit;
    memset(g, 0, sizeof *g);
    if (strcmp(name, "flipflop-3x3") == 0) {
        g->kind = FLIPFLOP;
        g->size = 3;
        limit = 200;
    } else if (strcmp(name, "flipflop-5x5") == 0) {
        g->kind = FLIPFLOP;
        g->size = 5;
        limit = 200;
    } else if (strcmp(name, "flipfour") == 0) {
        g->kind = FLIPFOUR;
        g->size = 5;
        limit = 1000;
    } else if (strcmp(name, "yonmoque") == 0) {
        g->kind = YONMOQUE;
        g->size = 5;
        limit = 300;
    } else {
        fprintf(stderr, "no such game: %s\n", name);
        exit(2);
    }
    g->max_plies = max_plies > 0 ? max_plies : limit;
    g->winner = -1;
    g->reason = "";
    if (g->kind == FLIPFLOP) {
        for (int x = 0; x < g->size; x++) {
            g->now.board[x] = (int8_t)piece(0, PLUS);
            g->now.board[(g->size - 1) * g->size + x] = (int8_t)piece(1, PLUS);
        }
    } else {
        g->now.hand[0] = g->now.hand[1] = g->kind == FLIPFOUR ? 4 : 6;
    }
    g->history[0] = g->now;
}

/* Copy a game; of the history only the part in use. */
static void copy(Game *to, const Game *from)
{
    size_t used = (size_t)(from->plies + 1) * sizeof(Position);
    memcpy(to, from, offsetof(Game, history) + used);
}

static void print_move(const Game *g, Move m, char *text)
{
    char *t = text;
    if (m.from < 0) {
        if (g->kind == FLIPFOUR)
            *t++ = m.face == PLUS ? '+' : 'x';
    } else {
        *t++ = (char)('a' + m.from % g->size);
        *t++ = (char)('1' + m.from / g->size);
        *t++ = m.capture ? 'x' : '-';
    }
    *t++ = (char)('a' + m.to % g->size);
    *t++ = (char)('1' + m.to / g->size);
    *t = '\0';
}

typedef struct {
    char text[TEXT];
    Move move;
} Named;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const Named *)a)->text, ((const Named *)b)->text);
}

/* The legal actions with their texts, in byte order. */
static int named_moves(const Game *g, Named *named)
{
    Move list[MAX_MOVES];
    int n = generate(g, list);
    for (int i = 0; i < n; i++) {
        named[i].move = list[i];
        print_move(g, list[i], named[i].text);
    }
    qsort(named, (size_t)n, sizeof *named, by_text);
    return n;
}

static void print_result(const Game *g)
{
    printf("%d %d %s\n", g->winner == 0, g->winner == 1, g->reason);
}

/* ---- the three modes ---- */

static uint64_t count(const Game *g, int depth)
{
    if (depth == 0)
        return 1;
    if (g->over)
        return 0;
    Move list[MAX_MOVES];
    int n = generate(g, list);
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        Game child;
        copy(&child, g);
        play(&child, list[i]);
        sum += count(&child, depth - 1);
    }
    return sum;
}

static void walk(const char *name, uint64_t seed, long games, int max_plies)
{
    static Game g;
    uint64_t s = seed;
    for (long i = 0; i < games; i++) {
        start(&g, name, max_plies);
        while (!g.over) {
            Named named[MAX_MOVES];
            int n = named_moves(&g, named);
            s = s * 6364136223846793005u + 1442695040888963407u;
            int pick = (int)((s >> 33) % (uint64_t)n);
            printf("%s ", named[pick].text);
            play(&g, named[pick].move);
        }
        printf("| ");
        print_result(&g);
    }
}

static int moves(const char *name, int max_plies, char **actions, int n_actions)
{
    static Game g;
    Named named[MAX_MOVES];
    start(&g, name, max_plies);
    for (int i = 0; i < n_actions; i++) {
        if (g.over) {
            fprintf(stderr, "the game is over before action %d\n", i + 1);
            return 1;
        }
        int n = named_moves(&g, named);
        int k = 0;
        while (k < n && strcmp(named[k].text, actions[i]) != 0)
            k++;
        if (k == n) {
            fprintf(stderr, "action %d is not legal: %s\n", i + 1, actions[i]);
            return 1;
        }
        play(&g, named[k].move);
    }
    if (g.over) {
        printf("over ");
        print_result(&g);
        return 0;
    }
    int n = named_moves(&g, named);
    for (int i = 0; i < n; i++)
        printf("%s\n", named[i].text);
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: perft GAME DEPTH [MAX_PLIES]\n"
                    "       perft GAME --walk SEED COUNT [MAX_PLIES]\n"
                    "       perft GAME --moves [--limit MAX_PLIES] ACTION...\n");
    return 2;
}

/* A decimal number from 0 to max, or -1. */
static long long number(const char *text, long long max)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return -1;
    long long value = strtoll(text, &end, 10);
    return *end == '\0' && value <= max ? value : -1;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return usage();
    const char *name = argv[1];
    if (strcmp(argv[2], "--walk") == 0) {
        if (argc < 5 || argc > 6)
            return usage();
        long long seed = number(argv[3], INT64_MAX);
        long long games = number(argv[4], 1000000);
        long long limit = argc > 5 ? number(argv[5], MAX_LIMIT) : 0;
        if (seed < 0 || games < 0 || limit < (argc > 5))
            return usage();
        walk(name, (uint64_t)seed, (long)games, (int)limit);
        return 0;
    }
    if (strcmp(argv[2], "--moves") == 0) {
        int first = 3;
        long long limit = 0;
        if (argc > 4 && strcmp(argv[3], "--limit") == 0) {
            limit = number(argv[4], MAX_LIMIT);
            if (limit < 1)
                return usage();
            first = 5;
        }
        return moves(name, (int)limit, argv + first, argc - first);
    }
    if (argc > 4)
        return usage();
    long long depth = number(argv[2], MAX_DEPTH);
    long long limit = argc > 3 ? number(argv[3], MAX_LIMIT) : 0;
    if (depth < 1 || limit < (argc > 3))
        return usage();
    static Game g;
    for (int n = 1; n <= depth; n++) {
        start(&g, name, (int)limit);
        printf("%s %d %llu\n", name, n, (unsigned long long)count(&g, n));
        fflush(stdout);
    }
    return 0;
}
