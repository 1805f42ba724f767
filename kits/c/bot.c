/* mybot: plays any legal action of any game. Make it think in `choose`. */
#include "flipside.h"

/* Returns the action to play: a text in the game's notation. */
static const char *choose(struct fs_turn *turn)
{
    /* turn->game, seat, seats and hello say what is being played.
     * turn->view is all that your seat sees now. At flipfour, for example:
     *
     *     char row[8];
     *     fs_text(fs_at(fs_get(turn->view, "board"), 0), row, sizeof row);
     *                             row[2] is the letter of the square c5: the rows come from the top down
     *     fs_number(fs_at(fs_get(turn->view, "hands"), 1))
     *                             how many pieces seat 1 has in hand
     *
     * `flipside rules GAME` explains each field.
     * turn->events tells what happened since your last turn: who did what, as far as your seat may know. */
    if (turn->id == 1)
        fprintf(stderr, "%s: seat %d of %d\n", turn->game, turn->seat, turn->seats);

    /* Think here. Check fs_time_left(turn), in milliseconds, in long searches. */
    return turn->actions[fs_below(turn, turn->count)];
}

int main(void)
{
    return fs_run("mybot", choose);
}
