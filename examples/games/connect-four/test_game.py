"""Tests of the game: python3 -m unittest."""

import random
import unittest
import xml.dom.minidom

from flipside_game import Refused, Table
from game import ConnectFour


def played(moves, **options):
    state = ConnectFour.begin(options)
    for action in moves:
        assert state.over() is None and action in state.actions(state.to_move())
        state.play(state.to_move(), action)
    return state


class Rules(unittest.TestCase):
    def test_a_line_wins_in_each_direction(self):
        for moves, line in [
            ("aabbccd", ["a1", "b1", "c1", "d1"]),
            ("abababa", ["a1", "a2", "a3", "a4"]),
            ("abbccdcddad", ["a1", "b2", "c3", "d4"]),
            ("gffeededdgd", ["d4", "e3", "f2", "g1"]),
            ("aaccddb", ["a1", "b1", "c1", "d1"]),
        ]:
            state = played(moves)
            self.assertEqual((state.line, state.over()), (line, ([1, 0], "line")), moves)

    def test_the_second_seat_can_win(self):
        self.assertEqual(played("abacbbgb").over(), None)
        self.assertEqual(played("abgbgbab").over(), ([0, 1], "line"))

    def test_lines_do_not_go_round_the_board(self):
        # f1, g1 and a2, b2 are next to each other only in memory.
        self.assertIsNone(played("fagbacb").over())

    def test_a_full_board_is_a_tie(self):
        state = played("aaabbcccb", columns=3, rows=3, connect=3)
        self.assertEqual(state.over(), ([0, 0], "full"))
        self.assertIsNone(state.view("open")["to_move"])

    def test_a_full_column_is_closed(self):
        state = played("aaaaaa")
        self.assertEqual(state.actions(0), list("bcdefg"))
        with self.assertRaisesRegex(Refused, "column a is full"):
            state.check(0, "a")
        with self.assertRaisesRegex(Refused, "the columns are a to g"):
            state.check(0, "h")

    def test_options_that_do_not_go_together_are_refused(self):
        with self.assertRaisesRegex(Refused, "a line of 5 does not fit on 4×3"):
            ConnectFour.begin({"columns": 4, "rows": 3, "connect": 5})
        for preset in [ConnectFour.brief, *ConnectFour.presets.values()]:
            ConnectFour.begin(preset)

    def test_a_copy_goes_on_by_itself(self):
        state = played("ab")
        other = state.copy()
        other.play(0, "a")
        self.assertEqual((state.ply, state.stacks[0], other.stacks[0]), (2, "x", "xx"))

    def test_drawings(self):
        view = played("abab", columns=3, rows=3, connect=3).view("public")
        self.assertEqual(ConnectFour.text(view), " 3 . . .\n 2 x o .\n 1 x o .\n   a b c\n")
        svg = xml.dom.minidom.parseString(ConnectFour.svg(view)).documentElement
        self.assertEqual((svg.tagName, len(svg.getElementsByTagName("circle"))), ("svg", 9))

    def test_random_matches_end(self):
        source = random.Random(1)
        for _ in range(200):
            table = Table(ConnectFour)
            state = table.answer({"type": "setup", "options": {}, "seats": 2})
            for ply in range(43):
                if "over" in state:
                    break
                (ask,) = state["asks"]
                action = source.choice(ask["actions"])
                state = table.answer({"type": "acts", "acts": [{"seat": ply % 2, "action": action}]})
            self.assertIn(state["over"]["reason"], ConnectFour.reasons)


if __name__ == "__main__":
    unittest.main()
