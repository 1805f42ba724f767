"""Tests of the bot, which need no copies in this folder: python3 -m unittest."""

import itertools
import os
import random
import sys
import time
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
# The folder of the kit has a bot.py, too, so it comes last.
for folder in (".", "..", "../../../../kits/python"):
    sys.path.append(os.path.join(HERE, folder))

from bot import choose, current_state, search  # noqa: E402
from flipside import Match, Turn  # noqa: E402
from game import ConnectFour  # noqa: E402


def turn_after(moves, clock="move=200ms"):
    """Returns the first turn of a bot after these moves, as the referee would send it."""
    state = ConnectFour.begin()
    for action in moves:
        state.play(state.to_move(), action)
    seat = state.to_move()
    match = Match(
        "m", "connect-four", ConnectFour.complete({}), seat, 2, clock, 0, 1, "", random.Random(1),
    )
    actions = state.actions(seat)
    return Turn(match, 1, state.view(seat), actions, [200, 200], [], arrived=time.monotonic())


class Ahead(unittest.TestCase):
    def test_it_reads_the_state_from_the_view(self):
        turn = turn_after("abacafff")
        state = current_state(turn)
        self.assertEqual(state.stacks, ["xxx", "o", "o", "", "", "oxo", ""])
        self.assertEqual(state.view(0), turn.view)

    def test_it_wins_where_it_can(self):
        self.assertEqual(choose(turn_after("abacad")), "a")

    def test_it_blocks_where_it_must(self):
        self.assertEqual(choose(turn_after("dcdcd")), "d")

    def test_it_sees_an_open_row_coming(self):
        # After c and d, a third disc beside them with both ends free cannot be stopped.
        state = current_state(turn_after("cgd"))
        with unittest.mock.patch("bot.time") as clock:
            clock.monotonic.side_effect = itertools.count()
            root = search(state, 3000, random.Random(1))
        self.assertEqual(root.visits, 3000)
        self.assertIn(max(root.children, key=lambda action: root.children[action].visits), "be")

    def test_it_answers_in_time(self):
        for clock in ("move=200ms", "200ms+0ms"):
            turn = turn_after("", clock)
            self.assertIn(choose(turn), turn.actions)
            self.assertGreater(turn.time_left(), 0)
            self.assertIn("playouts", turn.note)


if __name__ == "__main__":
    unittest.main()
