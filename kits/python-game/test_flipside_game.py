"""Tests of the kit: python3 -m unittest."""

import glob
import io
import json
import os
import random
import subprocess
import sys
import textwrap
import unittest

SOURCES = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, SOURCES)

from flipside_game import SAMPLE, Game, Refused, Table, _converse  # noqa: E402
from game import MyGame  # noqa: E402

DESCRIBE = {"type": "describe", "protocol": 1}
SETUP = {"type": "setup", "options": {"stones": 4}, "seats": 2, "later": "is ignored"}
RANDOM = "01" * 32


class Pig(Game):
    """Chance by outcomes, two to four seats, and actions that are neither sorted nor unique."""

    id, title, summary, notation = "pig", "Pig", "Roll, or hold", "roll|hold"
    seats = (2, 3, 4)
    rules_file = ""
    options = {
        "goal": {"type": "integer", "minimum": 1, "default": 20},
        "die": {"enum": ["fair", 1], "default": "fair"},
        "speed": {"type": "number", "maximum": 2},
    }

    def start(self, options, seats):
        self.goal, self.scores, self.turn, self.mover = options["goal"], [0] * seats, 0, 0
        self.rolls = False

    def to_move(self):
        return self.mover

    def actions(self, seat):
        return ["roll", "hold", "roll"]

    def play(self, seat, action):
        self.rolls = action == "roll"
        if action == "hold":
            self.scores[seat] += self.turn
            self.turn, self.mover = 0, (seat + 1) % len(self.scores)

    def chance(self):
        return [(1, 1), (2, 1), ({"more": 3}, 4)] if self.rolls else None

    def apply_chance(self, outcome):
        self.rolls = False
        if outcome == 1:
            self.turn, self.mover = 0, (self.mover + 1) % len(self.scores)
        else:
            self.turn += 2 if outcome == 2 else outcome["more"]

    def over(self):
        return (self.scores, "goal") if max(self.scores) >= self.goal else None

    def view(self, viewer):
        return {"scores": self.scores, "turn": self.turn, "to_move": self.mover}


class Hands(Game):
    """Several seats at once, hidden information, teams, and chance that the program samples."""

    id, title, summary, notation = "hands", "Hands", "Show a hand", "[rps]"
    seats = (3,)
    rules_file = ""
    secrets = simultaneous = True
    reasons = ("shown",)

    def start(self, options, seats):
        self.coin, self.shown = None, []

    def chance(self):
        return SAMPLE if self.coin is None else None

    def sample(self, random):
        return random.randrange(1000)

    def apply_chance(self, outcome):
        if outcome not in range(1000):
            raise Refused("a coin is a number below 1000")
        self.coin = outcome

    def chance_seen_by(self, outcome):
        return [2, 0, 2]

    def redeal(self, viewer, random):
        if viewer != 0:
            self.coin = random.randrange(1000)

    def asks(self):
        return [2, 0]

    def actions(self, seat):
        return "spr"

    def apply(self, acts):
        self.shown.append(sorted(acts.items()))

    def action_seen_by(self, seat, action):
        return range(3) if action == "r" else None

    def sides(self):
        return [0, 1, 0]

    def over(self):
        return ([0, 0, 0], "shown") if len(self.shown) == 3 else None

    def view(self, viewer):
        return {"shown": len(self.shown), "coin": self.coin if viewer in (0, "open") else None}


class Guess(Game):
    """A game that does not list its actions."""

    id, title, summary, notation = "guess", "Guess", "Say a number", "[0-9]{1,9}"
    rules_file = ""
    lists = False

    def start(self, options, seats):
        self.said = []

    def to_move(self):
        return len(self.said) % 2

    def check(self, seat, action):
        if action.startswith("0"):
            raise Refused("no zero at the front")

    def choose(self, seat, random):
        return str(random.randrange(1, 10**9))

    def play(self, seat, action):
        self.said.append(int(action))

    def over(self):
        return ([0, 0], "said") if len(self.said) == 4 else None

    def view(self, viewer):
        return {"said": self.said}


GAMES = [MyGame, Pig, Hands, Guess]


def hexadecimal(source):
    return f"{source.getrandbits(256):064x}"


def asked(state):
    return {ask["seat"]: ask["actions"] for ask in state["asks"]}


def set_up(game, options=None, seats=None):
    table = Table(game)
    seats = game.seats[0] if seats is None else seats
    return table, table.answer({"type": "setup", "options": options or {}, "seats": seats})


def act(table, *acts):
    acts = [{"seat": seat, "action": action} for seat, action in acts]
    return table.answer({"type": "acts", "acts": acts})


def next_request(table, state, source):
    """Returns a random request that the match goes on with."""
    if "chance" in state:
        sample = table.answer({"type": "sample", "random": hexadecimal(source)})
        return {"type": "chance", "outcome": sample["outcome"]}
    acts = []
    for ask in state["asks"]:
        choice = {"type": "choose", "seat": ask["seat"], "random": hexadecimal(source)}
        acts.append({"seat": ask["seat"], "action": table.answer(choice)["action"]})
    return {"type": "acts", "acts": acts}


class Kit(unittest.TestCase):
    def refuses(self, reply, words, malformed=False):
        self.assertEqual((reply["type"], reply.get("malformed")), ("refused", malformed))
        self.assertIn(words, reply["reason"])

    def test_a_game_is_described(self):
        reply = Table(MyGame).answer(DESCRIBE)
        self.assertEqual((reply["type"], reply["protocol"], reply["id"]), ("game", 1, "mygame"))
        self.assertEqual((reply["seats"], reply["chance"], reply["lists"]), ([2], False, True))
        self.assertEqual(reply["options"]["properties"]["stones"]["default"], 21)
        self.assertTrue(reply["rules"].startswith("# mygame\n"))
        flags = ["chance", "secrets", "simultaneous", "lists"]
        told = [[Table(game).answer(DESCRIBE)[flag] for flag in flags] for game in GAMES[1:]]
        self.assertEqual(told, [[True, False, False, True], [True, True, True, True], [False, False, False, False]])

    def test_unknown_requests_are_unsupported(self):
        self.assertEqual(Table(MyGame).answer({"type": "dance"}), {"type": "unsupported"})

    def test_options_are_completed(self):
        state = set_up(MyGame, {"stones": 4})[1]
        self.assertEqual(state["options"], {"stones": 4, "most": 3})
        self.assertEqual(set_up(Pig)[1]["options"], {"goal": 20, "die": "fair"})

    def test_wrong_options_are_refused_with_words(self):
        for game, options, words in [
            (MyGame, {"stone": 4}, "option stone: there is no such option; the options are: stones, most"),
            (MyGame, {"stones": 0}, "option stones: a whole number from 1 to 100, not 0"),
            (MyGame, {"stones": True}, "a whole number from 1 to 100, not true"),
            (MyGame, {"stones": 4.0}, "a whole number"),
            (Pig, {"goal": 0}, "a whole number of at least 1, not 0"),
            (Pig, {"die": True}, 'one of "fair", 1, not true'),
            (Pig, {"speed": 2.5}, "a number of at most 2, not 2.5"),
        ]:
            self.refuses(set_up(game, options)[1], words)
        self.refuses(set_up(Pig, seats=5)[1], "pig is for 2 or 3 or 4 seats, not 5")

    def test_actions_are_sorted_and_unique(self):
        self.assertEqual(asked(set_up(Pig)[1]), {0: ["hold", "roll"]})

    def test_a_match_is_played(self):
        table, state = set_up(MyGame, {"stones": 4})
        self.assertEqual(asked(state), {0: ["1", "2", "3"]})
        self.assertEqual(asked(act(table, (0, "3"))), {1: ["1"]})
        self.assertEqual(act(table, (1, "1")), {"type": "state", "over": {
            "points": [0, 1], "reason": "last-stone", "view": {"stones": 0, "most": 3, "to_move": None},
        }})

    def test_what_is_not_legal_is_refused_and_changes_nothing(self):
        table, _ = set_up(MyGame, {"stones": 2})
        view = table.answer({"type": "view", "viewer": "open"})
        check = {"type": "check", "seat": 0, "action": "1"}
        self.assertEqual(table.answer(check), {"type": "legal"})
        self.refuses(table.answer({**check, "action": "4"}), "at most 3")
        self.refuses(table.answer({**check, "action": "3"}), "only 2 are left")
        self.refuses(table.answer({**check, "action": "é" * 99}), "not in the notation [1-9]", True)
        self.refuses(table.answer({**check, "seat": 1}), "it is not seat 1's turn")
        for acts in [[(0, "3")], [(0, "x")], [(1, "1")], [], [(0, "1"), (0, "1")], [(0, "1"), (1, "1")]]:
            self.assertEqual(act(table, *acts)["type"], "refused", acts)
        self.refuses(table.answer({"type": "chance", "outcome": 1}), "does not wait for chance")
        self.refuses(table.answer({"type": "sample", "random": RANDOM}), "does not wait for chance")
        self.refuses(table.answer({"type": "view", "viewer": 2}), "there is no viewer 2")
        self.assertEqual(table.answer({"type": "view", "viewer": "open"}), view)
        act(table, (0, "2"))
        self.refuses(act(table, (1, "1")), "the match is over")

    def test_no_match_has_begun_at_first(self):
        for request in [{"type": "acts", "acts": []}, {"type": "view", "viewer": 0}]:
            self.refuses(Table(MyGame).answer(request), "no match has begun")

    def test_listed_outcomes_of_chance(self):
        table, _ = set_up(Pig)
        state = act(table, (0, "roll"))
        outcomes = state["chance"]["outcomes"]
        self.assertEqual(outcomes[2], {"outcome": {"more": 3}, "weight": 4})
        self.refuses(act(table, (0, "roll")), "it is chance's turn")
        for outcome in [3, True, "1", None]:
            self.refuses(table.answer({"type": "chance", "outcome": outcome}), "cannot have this outcome")
        state = table.answer({"type": "chance", "outcome": {"more": 3}})
        self.assertEqual(state["asks"][0]["view"]["turn"], 3)
        self.assertNotIn("seen", state)

    def test_the_same_bytes_give_the_same_outcome_and_action(self):
        sample = {"type": "sample", "random": RANDOM}
        choose = {"type": "choose", "seat": 0, "random": RANDOM}
        for game, request in [(Hands, sample), (Guess, choose), (MyGame, choose)]:
            answers = [table.answer(request) for table in [set_up(game)[0]] * 2 + [set_up(game)[0]]]
            self.assertEqual(answers, [answers[0]] * 3)
        self.refuses(set_up(Hands)[0].answer({**sample, "random": "01"}), "64 hexadecimal digits")

    def test_several_seats_and_who_sees_what(self):
        table, state = set_up(Hands)
        self.assertEqual((state["chance"], state["sides"]), ({}, [0, 1, 0]))
        self.refuses(table.answer({"type": "chance", "outcome": 1000}), "below 1000")
        state = table.answer({"type": "chance", "outcome": 7})
        self.assertEqual((asked(state), state["seen"]), ({0: ["p", "r", "s"], 2: ["p", "r", "s"]}, [[0, 2]]))
        self.assertEqual([ask["view"]["coin"] for ask in state["asks"]], [7, None])
        self.refuses(act(table, (2, "r"), (0, "r")), "not those of the seats")
        self.assertEqual(act(table, (0, "r"), (2, "p"))["seen"], [[0, 1, 2], [2]])
        self.assertNotIn("seen", act(table, (0, "s"), (2, "p")))

    def test_what_a_viewer_must_not_know_is_dealt_anew(self):
        redeal = {"type": "redeal", "random": RANDOM}
        coins = {}
        for viewer in (0, 1, 2, "public", "open"):
            table, _ = set_up(Hands)
            state = table.answer({"type": "chance", "outcome": 7})
            sees = table.answer({"type": "view", "viewer": viewer})
            dealt = table.answer({**redeal, "viewer": viewer})
            self.assertEqual(asked(dealt), asked(state))
            self.assertNotIn("seen", dealt)
            self.assertEqual(table.answer({"type": "view", "viewer": viewer}), sees)
            coins[viewer] = table.answer({"type": "view", "viewer": "open"})["view"]["coin"]
        other = coins[1]
        self.assertNotEqual(other, 7)
        self.assertEqual(coins, {0: 7, 1: other, 2: other, "public": other, "open": 7})
        self.refuses(table.answer({**redeal, "viewer": 3}), "there is no viewer 3")
        self.refuses(table.answer({**redeal, "viewer": 1, "random": "01"}), "64 hexadecimal digits")
        self.refuses(Table(Hands).answer({**redeal, "viewer": 0}), "no match has begun")
        table, _ = set_up(MyGame)
        self.assertEqual(table.answer({**redeal, "viewer": 0}), {"type": "unsupported"})

    def test_a_game_without_lists(self):
        table, state = set_up(Guess)
        self.assertEqual(state["asks"], [{"seat": 0, "view": {"said": []}}])
        check = {"type": "check", "seat": 0, "action": "12"}
        self.assertEqual(table.answer(check), {"type": "legal"})
        self.refuses(table.answer({**check, "action": "01"}), "no zero at the front")
        self.refuses(table.answer({**check, "action": "-1"}), "not in the notation", True)
        self.refuses(act(table, (0, "01")), "no zero at the front")

    def test_a_replayed_match_is_the_same_match(self):
        source = random.Random(1)
        for game in GAMES * 10:
            table, state = set_up(game)
            setup = {"options": state.pop("options"), "seats": game.seats[0]}
            own = game.begin(seats=game.seats[0])
            sides = {"sides": state["sides"]} if "sides" in state else {}
            events = []
            while True:
                twin = Table(game)
                replayed = twin.answer({"type": "replay", "events": events, **setup})
                self.assertEqual(replayed, {**state, **sides})
                for viewer in [*range(game.seats[0]), "public", "open"]:
                    view = {"type": "view", "viewer": viewer}
                    self.assertEqual(twin.answer(view), table.answer(view))
                    self.assertEqual(own.view(viewer), table.answer(view)["view"])
                if "over" in state:
                    break
                request = json.loads(json.dumps(next_request(table, state, source)))
                state = table.answer(request)
                events.append(
                    {"chance": request["outcome"]} if "outcome" in request else {"acts": request["acts"]}
                )
                own.take(events[-1])
            wrong = [*events, {"acts": [{"seat": 0, "action": "1"}]}]
            self.refuses(Table(game).answer({"type": "replay", "events": wrong, **setup}), "over")

    def test_drawings_and_words(self):
        draw = {"type": "draw", "view": {"stones": 2}, "as": "text"}
        table = Table(MyGame)
        self.assertEqual(table.answer(draw), {"type": "drawing", "drawing": "oo (2 left)"})
        self.assertTrue(table.answer({**draw, "as": "svg"})["drawing"].startswith("<svg"))
        self.assertEqual(table.answer({**draw, "as": "film"}), {"type": "unsupported"})
        self.assertEqual(Table(Pig).answer(draw), {"type": "unsupported"})
        table, _ = set_up(MyGame)
        paths = table.answer({"type": "paths", "seat": 0})
        self.assertEqual(paths, {"type": "paths", "paths": [{"marks": [it]} for it in "123"]})
        self.refuses(table.answer({"type": "paths", "seat": 1}), "seat 1")
        self.assertEqual(set_up(Pig)[0].answer({"type": "paths", "seat": 0}), {"type": "unsupported"})
        words = table.answer({"type": "words", "action": "2"})
        self.assertEqual(words, {"type": "words", "words": "takes 2 stones"})
        self.assertEqual(table.answer({"type": "words", "outcome": 2}), {"type": "unsupported"})

    def test_a_bot_looks_ahead(self):
        state = MyGame.begin({"stones": 5}, 2)
        for event in [{"fault": {"seat": 1, "fault": "late"}}, {"acts": [{"seat": 0, "action": "1"}]}]:
            state.take(event)
        after = state.copy()
        after.play(1, "3")
        self.assertEqual((state.stones, after.stones), (4, 1))
        for event in [{"missed": 3}, {"chance": None}, {"acts": [{"seat": 1}]}]:
            with self.assertRaises(ValueError):
                state.take(event)
        with self.assertRaises(Refused):
            MyGame.begin({"stones": 0})

    def test_mistakes_of_the_game_are_exceptions(self):
        class NoActions(Pig):
            def actions(self, seat):
                return []

        class OtherReason(MyGame):
            reasons = ("another",)
            stones = 0

            def start(self, options, seats):
                self.most, self.mover = 3, 0

        class NoStaticMethod(Pig):
            def text(self, view):
                return "text"

        for game in [NoActions, OtherReason, NoStaticMethod]:
            with self.assertRaises((ValueError, TypeError)):
                set_up(game)

    def test_text_is_utf_8(self):
        class Accents(Pig):
            def view(self, viewer):
                return {"text": "é\ud800"}

        output = io.BytesIO()
        setup = json.dumps({"type": "setup", "options": {}, "seats": 2}).encode()
        _converse([setup], output, Table(Accents))
        state = json.loads(output.getvalue().decode())
        self.assertEqual(state["asks"][0]["view"]["text"], "é?")

    def test_what_is_no_json_is_named_by_its_place(self):
        class Sets(Pig):
            def view(self, viewer):
                return {"rows": [[1], {2}]}

        setup = json.dumps({"type": "setup", "options": {}, "seats": 2}).encode()
        with self.assertRaisesRegex(TypeError, r"^asks\[0\]\.view\.rows\[1\] of the message state: .*set"):
            _converse([setup], io.BytesIO(), Table(Sets))

    def run_game(self, text, requests):
        code = "import os, subprocess, sys\nfrom game import MyGame\nfrom flipside_game import serve\n"
        code += textwrap.dedent(text)
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        return subprocess.run(
            [sys.executable, "-c", code], input=lines.encode(), capture_output=True,
            env=dict(os.environ, PYTHONPATH=SOURCES), timeout=60,
        )

    def test_print_and_children_do_not_disturb_the_referee(self):
        ran = self.run_game(
            """
            old = sys.stdout
            class Loud(MyGame):
                rules_file = ""

                def start(self, options, seats):
                    print("print")
                    os.system("echo child")
                    os.write(1, b"descriptor\\n")
                    print("stream", file=old, flush=True)
                    MyGame.start(self, options, seats)
            serve(Loud)
            """,
            [DESCRIBE, SETUP],
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([json.loads(line)["type"] for line in ran.stdout.splitlines()], ["game", "state"])
        self.assertEqual(sorted(ran.stderr.split()), [b"child", b"descriptor", b"print", b"stream"])

    def test_a_game_may_have_silenced_its_prints(self):
        for silenced in ["sys.stdout = None", "sys.stdout.close()", "sys.stdout = object()"]:
            ran = self.run_game(f"{silenced}\nserve(MyGame)", [SETUP])
            self.assertEqual((ran.returncode, len(ran.stdout.splitlines())), (0, 1), ran.stderr)

    def test_an_exception_ends_the_program_with_its_traceback(self):
        ran = self.run_game(
            """
            class Broken(MyGame):
                def over(self):
                    return {}[5]
            serve(Broken)
            """,
            [SETUP],
        )
        self.assertEqual((ran.returncode, ran.stdout), (1, b""))
        self.assertIn(b"KeyError: 5", ran.stderr)

    def test_the_examples_have_the_kit_as_it_is(self):
        examples = os.path.join(SOURCES, "..", "..", "examples", "games")
        with open(os.path.join(SOURCES, "flipside_game.py"), encoding="utf-8") as file:
            kit = file.read()
        copies = glob.glob(os.path.join(examples, "*", "flipside_game.py"))
        for copy in copies:
            with open(copy, encoding="utf-8") as file:
                self.assertEqual(file.read(), kit, copy)

    def test_an_import_does_nothing(self):
        ran = self.run_game("import game, flipside_game", [SETUP])
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, b"", b""))


if __name__ == "__main__":
    unittest.main()
