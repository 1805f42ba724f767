/* Tests of the kit: cc -std=gnu11 -o test test_flipside.c && ./test */
#include "flipside.h"

#define CHECK(what)                                                \
    do {                                                           \
        if (!(what)) {                                             \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what);     \
            exit(EXIT_FAILURE);                                    \
        }                                                          \
    } while (0)

static struct fs_json json(const char *text)
{
    return (struct fs_json){text, text + strlen(text)};
}

static void values_are_found(void)
{
    struct fs_json view = json("{\"a\":[1,-2,{\"b\":\"x\\\"]}\"}],\"c\":null,\"d\":true , \"e\" : [ ] ,\"f\":[[5],[]]}\n");
    char text[8];
    CHECK(fs_count(fs_get(view, "a")) == 3);
    CHECK(fs_number(fs_at(fs_get(view, "a"), 1)) == -2);
    CHECK(strcmp(fs_text(fs_get(fs_at(fs_get(view, "a"), 2), "b"), text, sizeof text), "x\"]}") == 0);
    CHECK(strcmp(fs_text(fs_get(fs_at(fs_get(view, "a"), 2), "b"), text, 3), "x\"") == 0);
    CHECK(fs_is_null(fs_get(view, "c")) && fs_is_null(fs_get(view, "nothing")));
    CHECK(fs_is_true(fs_get(view, "d")) && !fs_is_true(fs_get(view, "c")));
    CHECK(fs_count(fs_get(view, "e")) == 0 && fs_at(fs_get(view, "e"), 0).begin == NULL);
    CHECK(fs_number(fs_at(fs_at(fs_get(view, "f"), 0), 0)) == 5);
    CHECK(fs_get(json("[1]"), "a").begin == NULL && fs_count(json("{}")) == 0);
}

static void broken_text_has_no_values(void)
{
    static const char *const texts[] = {"", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "{\"a\":\"\\", "{1:2}", "nul"};
    for (size_t at = 0; at < sizeof texts / sizeof *texts; at++)
        CHECK(fs_get(json(texts[at]), "a").begin == NULL);
    CHECK(fs_count(json("[1,")) == 1);
    CHECK(fs_count(json("[")) == 0);
}

static void a_turn_is_read(void)
{
    struct fs_turn turn;
    memset(&turn, 0, sizeof turn);
    fs_hello(&turn, json("{\"type\":\"hello\",\"protocol\":1,\"game\":\"flipfour\",\"seat\":1,\"seats\":2,"
                         "\"options\":{\"max_plies\":60},\"seed\":9007199254740991,\"later\":{}}"));
    fs_read_turn(&turn, json("{\"type\":\"turn\",\"id\":5,\"actions\":[\"+a1\",\"b2\"],\"clocks\":[1,60000],\"view\":{\"ply\":3},"
                             "\"events\":[{\"missed\":2},{\"acts\":[{\"seat\":0,\"action\":\"+a1\"},{\"seat\":1}]}]}"));
    CHECK(strcmp(turn.game, "flipfour") == 0 && turn.seat == 1 && turn.id == 5 && turn.count == 2);
    CHECK(fs_number(fs_get(fs_get(turn.hello, "options"), "max_plies")) == 60);
    CHECK(strcmp(turn.actions[0], "+a1") == 0 && strcmp(turn.actions[1], "b2") == 0);
    CHECK(fs_number(fs_get(turn.view, "ply")) == 3);
    CHECK(fs_time_left(&turn) > 50000 && fs_time_left(&turn) <= 60000);
    struct fs_json acts = fs_get(fs_at(turn.events, 1), "acts");
    CHECK(fs_count(turn.events) == 2 && fs_number(fs_get(fs_at(turn.events, 0), "missed")) == 2);
    CHECK(fs_is(fs_get(fs_at(acts, 0), "action"), "+a1") && fs_is_null(fs_get(fs_at(acts, 1), "action")));
    fs_read_turn(&turn, json("{\"type\":\"turn\",\"id\":6,\"actions\":[],\"clocks\":[1,60000],\"view\":{\"ply\":3}}"));
    CHECK(turn.events.end - turn.events.begin == 2 && fs_count(turn.events) == 0);
    CHECK(turn.random == UINT64_C(9007199254740991));
    uint32_t counts[3] = {0};
    for (int time = 0; time < 3000; time++)
        counts[fs_below(&turn, 3)]++;
    CHECK(counts[0] > 850 && counts[1] > 850 && counts[2] > 850);
    turn.memo = &turn;
    fs_hello(&turn, json("{\"type\":\"hello\",\"protocol\":1,\"game\":\"yonmoque\",\"seat\":0,\"seats\":2,\"seed\":1}"));
    CHECK(turn.memo == NULL && turn.count == 0 && strcmp(turn.game, "yonmoque") == 0);
    free((char *)turn.hello.begin);
    free((char *)turn.game);
}

static const char *shout(struct fs_turn *turn)
{
    printf("thinking\n");
    return turn->count == 0 ? NULL : "\"\\\n";
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "play") == 0)
        return fs_run("a \"bot\"", shout);
    values_are_found();
    broken_text_has_no_values();
    a_turn_is_read();
    puts("ok");
    return EXIT_SUCCESS;
}
