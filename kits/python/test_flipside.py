"""Tests of the kit: python3 -m unittest."""

import io
import json
import os
import subprocess
import sys
import textwrap
import unittest

SOURCES = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, SOURCES)

import flipside  # noqa: E402

HELLO = {
    "type": "hello", "protocol": 1, "match": "m", "game": "flipfour", "options": {"max_plies": 60},
    "seat": 1, "seats": 2, "clock": "move=1s", "limits": {"line": 65536, "memory": 0},
    "commitment": "", "seed": 7, "later": "fields of later versions are ignored",
}
TURN = {
    "type": "turn", "id": 5, "actions": ["+a1", "+a2"], "clocks": [10, 60000],
    "view": {"board": ["é"]}, "events": [
        {"missed": 2}, {"acts": [{"seat": 0, "action": "+é"}, {"seat": 1}]}, {"chance": None},
        {"fault": {"seat": 0, "fault": "late"}},
    ],
}
OVER = {"type": "over", "points": [1, 0], "places": [1, 2], "reason": "line", "view": {}}


def line(message):
    return (json.dumps(message) + "\n").encode()


def converse(messages, choose, **more):
    output = io.BytesIO()
    flipside._converse([line(message) for message in messages], output, choose, {"type": "ready"}, **more)
    return [json.loads(answer) for answer in output.getvalue().splitlines()]


class Kit(unittest.TestCase):
    def test_a_turn_is_answered_with_its_id(self):
        def choose(turn):
            self.assertEqual(turn.match.seat, 1)
            self.assertEqual(turn.match.options, {"max_plies": 60})
            self.assertEqual(turn.match.bot_options, {})
            self.assertEqual(turn.view["board"], ["é"])
            self.assertTrue(50 < turn.time_left() <= 60)
            return turn.actions[1]

        answers = converse([HELLO, TURN], choose)
        self.assertEqual(answers, [{"type": "ready"}, {"type": "act", "id": 5, "action": "+a2"}])

    def test_a_new_match_begins_from_nothing(self):
        def choose(turn):
            turn.match.memo = (turn.match.memo or 0) + 1
            return str(turn.match.memo)

        answers = converse([HELLO, TURN, TURN, OVER, HELLO, TURN], choose)
        self.assertEqual([answer.get("action") for answer in answers], [None, "1", "2", None, "1"])

    def test_a_turn_has_its_events(self):
        told = []

        def choose(turn):
            told.append(turn.events)
            return "+a1"

        converse([HELLO, TURN, {name: TURN[name] for name in TURN if name != "events"}], choose)
        self.assertEqual(told, [TURN["events"], []])

    def test_the_same_seed_gives_the_same_choices(self):
        def choose(turn):
            return str(turn.match.random.random())

        self.assertEqual(converse([HELLO, TURN], choose), converse([HELLO, TURN], choose))

    def test_notes_are_cut_and_are_always_utf_8(self):
        def choose(turn):
            turn.note = "\ud800" + "é" * 1000
            return "+a1"

        note = converse([HELLO, TURN], choose)[1]["note"]
        self.assertEqual(note, "?" + "é" * (flipside.LONGEST_NOTE - 1))

    def test_the_start_and_the_end_of_a_match_are_told(self):
        told = []
        converse(
            [HELLO, OVER], lambda turn: "", start=lambda match: told.append(match.game),
            end=lambda match, over: told.append(over["reason"]),
        )
        self.assertEqual(told, ["flipfour", "line"])

    def test_what_cannot_be_played_is_an_exception(self):
        for messages, choose in [
            ([TURN], lambda turn: "+a1"),
            ([dict(HELLO, protocol=2)], lambda turn: "+a1"),
            ([HELLO, TURN], lambda turn: None),
        ]:
            with self.assertRaises((ValueError, TypeError)):
                converse(messages, choose)

    def run_bot(self, text, lines):
        code = "from flipside import *\n" + textwrap.dedent(text)
        return subprocess.run(
            [sys.executable, "-c", code], input=b"".join(map(line, lines)), capture_output=True,
            env=dict(os.environ, PYTHONPATH=SOURCES), timeout=60,
        )

    def test_print_does_not_disturb_the_referee_and_the_end_of_the_input_ends_the_bot(self):
        ran = self.run_bot(
            """
            def choose(turn):
                print("thinking")
                return turn.actions[0]
            run(choose, name="x")
            """,
            [HELLO, TURN],
        )
        self.assertEqual(ran.returncode, 0)
        ready, act = map(json.loads, ran.stdout.splitlines())
        self.assertEqual((ready["events"], act["id"]), (True, 5))
        self.assertEqual(ran.stderr, b"thinking\n")

    def test_children_and_c_code_do_not_disturb_the_referee(self):
        ran = self.run_bot(
            """
            import ctypes, os, subprocess
            old = sys.stdout
            def choose(turn):
                os.system("echo system")
                subprocess.run(["echo", "child"])
                os.write(1, b"descriptor\\n")
                ctypes.CDLL(None).puts(b"C")
                ctypes.CDLL(None).fflush(None)
                print("stream", file=old, flush=True)
                return turn.actions[0]
            run(choose, name="x")
            """,
            [HELLO, TURN],
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([json.loads(line)["type"] for line in ran.stdout.splitlines()], ["ready", "act"])
        self.assertEqual(ran.stderr, b"system\nchild\ndescriptor\nC\nstream\n")

    def test_a_bot_may_have_silenced_its_prints(self):
        for silenced in ["sys.stdout = None", "sys.stdout.close()", "sys.stdout = object()"]:
            ran = self.run_bot(
                f"""
                {silenced}
                run(lambda turn: turn.actions[0], name="x")
                """,
                [HELLO, TURN],
            )
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(len(ran.stdout.splitlines()), 2)

    def test_an_exception_ends_the_bot_with_its_traceback(self):
        ran = self.run_bot("run(lambda turn: {}[turn.id])", [HELLO, TURN])
        self.assertEqual(ran.returncode, 1)
        self.assertIn(b"Traceback", ran.stderr)
        self.assertIn(b"KeyError: 5", ran.stderr)


if __name__ == "__main__":
    unittest.main()
