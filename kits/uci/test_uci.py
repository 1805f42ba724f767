"""Tests of the bridge with an engine that is a script: python3 -m unittest."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.path.dirname(os.path.abspath(__file__))
KIT = os.path.join(os.path.dirname(SOURCES), "python")
sys.path[:0] = [SOURCES, KIT]

import uci  # noqa: E402

#: However busy the machine is, no time ends.
CLOCK = "move=10h,start=10h"
HOURS = 36_000_000

START = uci.START
AFTER_F3 = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1"
AFTER_E5 = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"


def hello(**more):
    message = {
        "type": "hello", "protocol": 1, "match": "m", "game": "chess", "options": {"fen": START}, "seat": 0,
        "seats": 2, "clock": CLOCK, "limits": {"line": 65536, "memory": 0}, "commitment": "", "seed": 7,
    }
    return {**message, **more}


def turn(fen=START, moves=(), first=0, **more):
    """Returns a turn at a position, with the moves since the last one; `first` is the seat of the first move."""
    events = [{"acts": [{"seat": (first + ply) % 2, "action": move}]} for ply, move in enumerate(moves)]
    message = {
        "type": "turn", "id": 1, "actions": ["d8h4", "e7e5", "f2f3", "g2g4"], "clocks": [HOURS, HOURS],
        "view": {"fen": fen}, "events": events,
    }
    return {**message, **more}


OVER = {"type": "over", "points": [1, 0], "places": [1, 2], "reason": "checkmate", "view": {}}


def start(log, wrong="", options=None, grace=3600):
    """Starts a bot with the engine, which may do something wrong and writes what it reads to a file."""
    code = f"import uci; uci.GRACE = uci.QUIT_TIME = {grace}; uci.play(['./fake_engine.py', {wrong!r}], name='x'"
    code += f", options={options or {}!r})"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join([SOURCES, KIT]), FAKE_ENGINE_LOG=log), text=True,
    )


class Played:
    """What a bot answered to messages and `said` on standard error; `told` is what its engine read."""

    def __init__(self, messages, wrong="", options=None, grace=3600):
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as log:
            bot = start(log.name, wrong, options, grace)
            # The engine has standard error, too, so this waits for both.
            stdout, stderr = bot.communicate("".join(json.dumps(message) + "\n" for message in messages))
            self.told = log.read().splitlines()
        self.code = bot.returncode
        self.answers = [json.loads(line) for line in stdout.splitlines()]
        self.said = stderr.splitlines()

    def commands(self, word):
        return [line for line in self.told if line.split()[0] == word]

    def moves(self):
        return [answer["action"] for answer in self.answers if answer["type"] == "act"]


class Matches(unittest.TestCase):
    def test_an_engine_plays_matches_one_after_the_other(self):
        played = Played([
            hello(), turn(), turn(AFTER_E5, ["f2f3", "e7e5"], id=2), OVER,
            hello(seat=1), turn(AFTER_F3, ["f2f3"]), OVER,
        ])
        self.assertEqual((played.code, played.said), (0, []))
        self.assertEqual(played.moves(), ["f2f3", "g2g4", "e7e5"])
        self.assertEqual(played.told, [
            "uci", "setoption name Ponder value false", "setoption name Threads value 1",
            "ucinewgame", "isready",
            "position startpos", "go movetime 35999950",
            "position startpos moves f2f3 e7e5", "go movetime 35999950",
            "ucinewgame", "isready",
            "position startpos moves f2f3", "go movetime 35999950",
            "quit", "the end",
        ])

    def test_what_the_engine_says_of_its_search_is_the_note(self):
        played = Played([hello(), turn()])
        self.assertEqual(played.answers[1]["note"], "+0.35, depth 2, 81 nodes: f2f3 e7e5 g2g4 d8h4")

    def test_a_match_may_begin_at_another_position_and_with_black(self):
        played = Played([hello(options={"fen": AFTER_F3}), turn(AFTER_F3, id=1), turn(AFTER_E5, ["e7e5"])])
        self.assertEqual(played.commands("position"), [
            f"position fen {AFTER_F3}", f"position fen {AFTER_F3} moves e7e5",
        ])

    def test_a_bot_that_missed_moves_goes_on_from_the_view(self):
        played = Played([hello(), turn(AFTER_F3), turn(AFTER_E5, ["e7e5"], id=2)])
        self.assertEqual(played.commands("position"), [
            f"position fen {AFTER_F3}", f"position fen {AFTER_F3} moves e7e5",
        ])

    def test_another_game_is_refused(self):
        played = Played([hello(game="flipfour")])
        self.assertEqual((played.code, played.answers), (1, []))
        self.assertEqual(played.said, ["error: this bot plays chess, not flipfour"])

    def test_a_bot_that_is_killed_leaves_no_engine_behind(self):
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as log:
            bot = start(log.name)
            bot.stdin.write(json.dumps(hello()) + "\n")
            bot.stdin.flush()
            self.assertIn("ready", bot.stdout.readline())
            bot.kill()
            # The engine has standard error, too, so this waits for it.
            bot.communicate()
            self.assertEqual(log.read().splitlines()[-2:], ["isready", "the end"])


class Clocks(unittest.TestCase):
    def go(self, clock, clocks, fen=START, id=2, **options):
        seat = 0 if " w " in fen else 1
        played = Played([
            hello(seat=seat, clock=clock + ",start=10h", bot_options=options), turn(fen, id=id, clocks=clocks),
        ])
        self.assertEqual(played.code, 0, played.said)
        return played.commands("go")[0]

    def test_a_time_for_each_move(self):
        self.assertEqual(self.go("move=2h", [7_200_000, 1]), "go movetime 7199950")
        self.assertEqual(self.go("move=2h", [60_000, 1]), "go movetime 59950")

    def test_what_is_left_of_the_start_is_no_time_to_search(self):
        self.assertEqual(self.go("move=2h", [HOURS, 1], id=1), "go movetime 7199950")
        self.assertEqual(
            self.go("1h+1s", [HOURS, 3_600_000], id=1), "go wtime 3599950 btime 3599950 winc 1000 binc 1000"
        )

    def test_a_bank_and_its_increment(self):
        self.assertEqual(
            self.go("1h+1m", [HOURS, 50_050]), "go wtime 35999950 btime 50000 winc 60000 binc 60000"
        )

    def test_black_has_the_other_clock(self):
        self.assertEqual(
            self.go("10h+0ms", [50_050, HOURS], AFTER_F3), "go wtime 50000 btime 35999950 winc 0 binc 0"
        )

    def test_the_margin_is_an_option_and_at_most_half_of_the_time(self):
        self.assertEqual(self.go("move=10h", [HOURS, 1], margin=1000), "go movetime 35999000")
        self.assertEqual(self.go("move=10h", [HOURS, 1], margin=HOURS), "go movetime 18000000")

    def test_a_search_may_be_limited_by_depth_and_nodes(self):
        self.assertEqual(self.go("move=10h", [HOURS, 1], depth=4, nodes=900), "go depth 4 nodes 900")

    def test_a_clock_is_read_as_the_referee_writes_it(self):
        for text, clock in [
            ("move=1500ms", uci.Clock(per_move=1500)),
            ("move=1s,start=20s", uci.Clock(per_move=1000, start=20_000)),
            ("3m+0ms", uci.Clock(bank=180_000)),
            ("1h+100ms,start=1ms", uci.Clock(bank=3_600_000, increment=100, start=1)),
        ]:
            self.assertEqual(uci.Clock.read(text), clock)


class Options(unittest.TestCase):
    def test_options_are_those_of_the_bot_and_then_of_the_organiser(self):
        options = {"Hash": 64, "Threads": 2, "Clear Hash": True}
        set_by_organiser = {"hash": 32, "skill level": "very low", "Book File": "", "Ponder": True}
        played = Played([hello(bot_options=set_by_organiser)], options=options)
        self.assertEqual(played.code, 0, played.said)
        self.assertEqual(sorted(played.commands("setoption")), [
            "setoption name Book File value <empty>",
            "setoption name Clear Hash",
            "setoption name Hash value 32",
            "setoption name Ponder value true",
            "setoption name Skill Level value Very Low",
            "setoption name Threads value 2",
        ])

    def test_other_options_start_another_engine(self):
        played = Played([hello(), OVER, hello(bot_options={"Hash": 5}), OVER, hello(bot_options={"Hash": 5})])
        self.assertEqual(played.code, 0, played.said)
        self.assertEqual(len(played.commands("uci")), 2)
        self.assertEqual(len(played.commands("ucinewgame")), 3)

    def test_an_option_that_does_not_fit_is_refused(self):
        for options, why in [
            ({"Hsh": 1}, "the engine has no option 'Hsh'"),
            ({"Hash": 1025}, "the engine's option Hash is a whole number from 1 to 1024, not 1025"),
            ({"Hash": True}, "the engine's option Hash is a whole number from 1 to 1024, not True"),
            ({"Ponder": 1}, "the engine's option Ponder is true or false, not 1"),
            ({"Skill Level": "Low"}, "the engine's option Skill Level is one of Very Low, High, not 'Low'"),
            ({"Clear Hash": False}, "the engine's option Clear Hash is true, which presses it, not False"),
            ({"Book File": "a\nquit"}, "the engine's option Book File is a text, not 'a\\nquit'"),
            ({"nodes": 0}, "the option nodes is a whole number from 1, not 0"),
            ({"margin": "5"}, "the option margin is a whole number from 0, not '5'"),
        ]:
            played = Played([hello(bot_options=options)])
            self.assertEqual((played.code, played.answers), (1, []), options)
            self.assertEqual(played.said[-1], f"error: {why}")

    def test_the_options_of_an_engine_are_read(self):
        line = "option name Time min max type combo default a b var a b var c var d e"
        option = uci.Option.read(line.split())
        self.assertEqual(option, uci.Option("Time min max", "combo", choices=["a b", "c", "d e"]))
        line = "option name N type spin default 0 min -5 max 7"
        self.assertEqual(uci.Option.read(line.split()), uci.Option("N", "spin", -5, 7))
        self.assertEqual(uci.Option.read("option name Log type string default".split()), uci.Option("Log", "string"))
        self.assertIsNone(uci.Option.read("option name type".split()))


class Notes(unittest.TestCase):
    def note(self, *lines):
        search = uci.Search()
        for line in lines:
            search.read(line.split())
        return search.note()

    def test_mates_and_scores_are_told_from_the_side_of_the_engine(self):
        for score, told in [
            ("cp -7", "-0.07"), ("cp 0", "+0.00"), ("cp 1234", "+12.34"),
            ("mate 3", "mate in 3"), ("mate -2", "mated in 2"), ("mate 0", "mated in 0"),
        ]:
            self.assertEqual(self.note(f"info depth 9 score {score} pv e2e4"), f"{told}, depth 9: e2e4")

    def test_bounds_other_lines_and_other_words_do_not_count(self):
        best = "info depth 9 time 3 score cp 5 nodes 70 pv e2e4"
        for other in [
            "info depth 10 score cp 90 upperbound pv a2a3", "info multipv 2 depth 9 score cp 1 pv a2a3",
            "info depth 11 currmove a2a3", "info score cp x pv a2a3", "info", "info score", "info pv", "a2a3",
        ]:
            self.assertEqual(self.note(best, other), "+0.05, depth 9, 70 nodes: e2e4")

    def test_nodes_may_come_alone_and_nothing_is_no_note(self):
        self.assertEqual(self.note("info nodes 12 nps 3"), "12 nodes")
        self.assertIsNone(self.note())

    def test_a_long_line_is_cut_between_moves(self):
        note = self.note("info depth 90 score cp 1 pv" + " e7e8q" * 90)
        self.assertTrue(234 <= len(note) <= 240 and note.endswith(" e7e8q"), note)


class Failures(unittest.TestCase):
    def failed(self, wrong, clocks=(HOURS, HOURS), clock=CLOCK, grace=3600):
        """Plays with an engine that does something wrong; the last lines on standard error."""
        played = Played([hello(clock=clock), turn(id=2, clocks=clocks)], wrong, grace=grace)
        self.assertEqual((played.code, played.moves()), (1, []))
        return played.said

    def test_an_engine_that_ends(self):
        self.assertEqual(self.failed("dies"), ["error: the engine exited with code 7 after 'go movetime 35999950'"])
        self.assertEqual(
            self.failed("crashes"), ["error: the engine was ended by signal 9 after 'go movetime 35999950'"]
        )

    def test_an_engine_without_a_move(self):
        self.assertEqual(
            self.failed("blind"), ["position startpos", "error: the engine sees no move: 'bestmove (none)'"]
        )

    def test_an_engine_that_is_silent_is_told_before_the_time_is_over(self):
        said = self.failed("silent", clocks=[0, 0], grace=0)
        self.assertEqual(said, [
            "the engine has not answered 'go movetime 1' and 'stop' in 0 ms",
            "error: the engine did not answer 'go movetime 1' and 'stop'",
        ])

    def test_an_engine_that_does_not_start_to_speak(self):
        self.assertEqual(self.failed("deaf", clock="move=1s,start=1ms", grace=0), [
            "the engine has not answered 'uci' in 0.00075 s", "error: the engine did not answer 'uci'",
        ])

    def test_an_engine_with_an_endless_line(self):
        self.assertEqual(self.failed("endless"), ["error: the engine wrote a line of more than 65536 bytes"])

    def test_an_engine_that_is_too_slow_is_stopped(self):
        played = Played([hello(), turn(id=2, clocks=[0, 0])], "slow")
        self.assertEqual((played.code, played.moves()), (0, ["f2f3"]))
        self.assertEqual(played.told[-4:], ["go movetime 1", "stop", "quit", "the end"])

    def test_an_illegal_move_is_played_and_told(self):
        played = Played([hello(), turn()], "illegal")
        self.assertEqual((played.code, played.moves()), (0, ["e2e5"]))
        self.assertEqual(
            played.said, ["position startpos", "warning: the engine's move 'e2e5' is not legal here"]
        )

    def test_an_engine_that_is_not_there_or_cannot_be_started(self):
        for program, why in [
            ("no-such-engine", "there is no engine no-such-engine in this bot's folder or in PATH"),
            ("gitignore", "cannot start the engine gitignore: Permission denied"),
        ]:
            with self.assertRaises(SystemExit) as failed:
                uci.Engine([program])
            self.assertEqual(str(failed.exception), f"error: {why}")


if __name__ == "__main__":
    unittest.main()
