"""A bridge from Flipside to chess engines that speak UCI, in Python 3.9 or newer, without dependencies.

It starts an engine as a child process and translates between two protocols::

    from uci import play

    play(["./engine"], name="mybot", options={"Hash": 64})

The moves and the clock of each turn become `position` and `go`. What the engine says of its search
becomes the note of the move. The bridge plays what the engine answers, also an illegal move: only the
referee judges moves.

An engine that ends, says nothing or sees no move ends the bot with a line on standard error and exit
code 1. The engine is in the bot's process group, and its input ends when the bot ends, so the referee
leaves no engine behind.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

from flipside import LONGEST_NOTE, Event, Match, Turn, log, run

#: The game that UCI engines play.
GAME = "chess"

#: The position in which a match begins unless its option `fen` names another one.
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

#: Options for the bridge itself, with their least and default values.
SETTINGS: Dict[str, Tuple[int, Optional[int]]] = {
    "depth": (1, None),  # search so many plies, and not by the clock
    "nodes": (1, None),  # search so many nodes, and not by the clock
    "margin": (0, 50),  # keep so many milliseconds of each move's time
}

#: What engines with these options get unless somebody sets them. A bot has to be idle on the turns of
#: others, and a match counts on one thread for each bot.
DEFAULTS: Dict[str, Any] = {"Ponder": False, "Threads": 1}

#: How long the bridge still waits for an engine when the bot's time is over, in seconds: the referee
#: ends the bot before.
GRACE = 2.0

#: How long an engine may take to exit after `quit`, in seconds.
QUIT_TIME = 0.3

#: The longest line of an engine, in bytes.
LONGEST_LINE = 1 << 16

#: What engines say instead of a move where they see none.
NO_MOVES = ("", "(none)", "none", "null", "0000")


def play(command: Sequence[str], *, name: str, options: Optional[Dict[str, Any]] = None) -> None:
    """Plays chess with an engine until the referee ends the input.

    `command` is the engine with its arguments: the path of a file of the bundle, or the name of a
    program of the system. `options` are options of the engine or of the bridge; those that an
    organiser sets (`bot_options`) come before them.
    """
    bridge = Bridge(command, options or {})
    try:
        run(bridge.choose, name=name, start=bridge.start)
    finally:
        bridge.quit()


def fail(why: str) -> NoReturn:
    """Ends the bot. The referee's report quotes this line of standard error."""
    sys.exit(f"error: {why}")


class Bridge:
    """Plays match after match with one process of an engine."""

    def __init__(self, command: Sequence[str], options: Dict[str, Any]) -> None:
        self.command = command
        self.options = options
        self.engine: Optional[Engine] = None
        #: What the running engine was told.
        self.told: Dict[str, Any] = {}
        self.settings: Dict[str, Optional[int]] = {}
        self.clock = Clock(per_move=1000)
        self.position = Position(START)

    def start(self, match: Match) -> None:
        """Has the engine ready for a match."""
        if match.game != GAME:
            fail(f"this bot plays {GAME}, not {match.game}")
        self.clock = Clock.read(match.clock)
        self.position = Position(match.options.get("fen") or START)
        self.settings, wanted = split(self.options, match.bot_options)
        begun, limit = time.monotonic(), self.clock.start / 1000

        def wait(sent: str, answer: str) -> None:
            assert self.engine is not None
            still = f"the engine has not answered {sent!r} in {limit * 0.75:.3g} s"
            gone = f"the engine did not answer {sent!r}"
            self.engine.wait(answer, [
                (begun + limit * 0.75, lambda: log(still)),
                (begun + limit + GRACE, lambda: fail(gone)),
            ])

        if self.engine is not None and self.told != wanted:
            self.quit()
        if self.engine is None:
            self.engine = Engine(self.command)
            self.engine.send("uci")
            wait("uci", "uciok")
            self.engine.set(wanted)
            self.told = wanted
        self.engine.send("ucinewgame")
        self.engine.send("isready")
        wait("isready", "readyok")

    def choose(self, turn: Turn) -> str:
        """Returns the move of the engine."""
        engine = self.engine
        assert engine is not None, "a turn comes after hello"
        self.position.follow(turn.events, turn.view["fen"])
        go = self.go(turn)
        margin = self.settings["margin"] or 0
        limit = turn.clocks[turn.match.seat]
        spare = reserve(limit, margin)
        search = Search()

        def at(left: float) -> float:
            return turn.arrived + (limit - left) / 1000

        still = f"the engine has not answered {go!r} and 'stop' in {limit - spare // 4} ms"
        gone = f"the engine did not answer {go!r} and 'stop'"
        alarms: List[Alarm] = [
            (at(spare / 2), lambda: engine.send("stop")),
            (at(spare / 4), lambda: log(still)),
            (at(-1000 * GRACE), lambda: fail(gone)),
        ]
        engine.send(self.position.command())
        engine.send(go)
        words = engine.wait("bestmove", alarms, search.read)
        move = words[1] if len(words) > 1 else ""
        if move.lower() in NO_MOVES:
            log(self.position.command())
            fail(f"the engine sees no move: {' '.join(words)!r}")
        if move not in turn.actions:
            log(self.position.command())
            log(f"warning: the engine's move {move!r} is not legal here")
        turn.note = search.note()
        return move

    def go(self, turn: Turn) -> str:
        """Returns the command that begins the search."""
        limits = [
            f"{name} {self.settings[name]}" for name in ("depth", "nodes") if self.settings[name]
        ]
        if limits:
            return "go " + " ".join(limits)
        seat, clock = turn.match.seat, self.clock
        times = list(turn.clocks)
        if clock.per_move or turn.id == 1:
            # At the first move, the rest of the time to start comes on top. It is a reserve, not time to search.
            times[seat] = min(times[seat], clock.per_move or clock.bank)
        margin = self.settings["margin"] or 0
        times = [max(1, left - reserve(left, margin)) for left in times]
        if clock.per_move:
            return f"go movetime {times[seat]}"
        mine, other = times[seat], times[1 - seat]
        white, black = (mine, other) if self.position.white_to_move else (other, mine)
        increment = clock.increment
        return f"go wtime {white} btime {black} winc {increment} binc {increment}"

    def quit(self) -> None:
        """Ends the engine."""
        if self.engine is not None:
            self.engine.quit()
            self.engine = None


def reserve(limit: int, margin: int) -> int:
    """Returns how much of a time is left unused, in the unit of the time."""
    return min(margin, limit // 2)


def split(*all_options: Dict[str, Any]) -> Tuple[Dict[str, Optional[int]], Dict[str, Any]]:
    """Returns the settings of the bridge and the options of the engine; the last ones count."""
    settings = {name: default for name, (_, default) in SETTINGS.items()}
    others: Dict[str, Any] = {}
    for options in all_options:
        for name, value in options.items():
            if name not in SETTINGS:
                # Engines do not tell upper case from lower case.
                others = {other: others[other] for other in others if other.lower() != name.lower()}
                others[name] = value
                continue
            least = SETTINGS[name][0]
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                fail(f"the option {name} is a whole number from {least}, not {value!r}")
            settings[name] = value
    return settings, others


@dataclass
class Clock:
    """A clock of the referee, in milliseconds."""

    per_move: int = 0
    bank: int = 0
    increment: int = 0
    start: int = 5000

    @classmethod
    def read(cls, text: str) -> "Clock":
        """Reads `move=1s` or `10s+100ms`, either with `,start=20s` behind it."""
        pace, _, start = text.partition(",start=")
        each, bank = pace.startswith("move="), pace.split("+")
        if each:
            clock = cls(per_move=milliseconds(pace[len("move="):]))
        else:
            clock = cls(bank=milliseconds(bank[0]), increment=milliseconds("".join(bank[1:]) or "0ms"))
        if start:
            clock.start = milliseconds(start)
        return clock


def milliseconds(text: str) -> int:
    """Reads a time such as `1500ms` or `3m`."""
    found = re.fullmatch(r"(\d+)(h|m|s|ms)", text)
    if found is None:
        fail(f"{text!r} is not a time")
    return int(found[1]) * {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}[found[2]]


class Position:
    """Where a match stands: a position and the moves since, so that the engine sees repetitions."""

    def __init__(self, fen: str) -> None:
        self.fen = fen
        self.moves: List[str] = []
        self.white_to_move = is_white_to_move(fen)

    def follow(self, events: List[Event], fen: str) -> None:
        """Adds the moves of the events. If they do not lead to the position of the view, that one counts."""
        for event in events:
            self.moves += [act["action"] for act in event.get("acts", []) if "action" in act]
        if ply_of(self.fen) + len(self.moves) != ply_of(fen):
            self.fen, self.moves = fen, []
        self.white_to_move = is_white_to_move(fen)

    def command(self) -> str:
        """Returns the command that tells an engine this position."""
        position = "startpos" if self.fen == START else f"fen {self.fen}"
        return " ".join(["position", position] + (["moves"] + self.moves if self.moves else []))


def is_white_to_move(fen: str) -> bool:
    return fen.split()[1] == "w"


def ply_of(fen: str) -> int:
    """Returns the number of a position in its game, by the move counter of its FEN."""
    fields = fen.split()
    move = int(fields[5]) if len(fields) > 5 else 1
    return 2 * (move - 1) + (not is_white_to_move(fen))


class Search:
    """What an engine has said of a search."""

    def __init__(self) -> None:
        self.score = ""
        self.depth = ""
        self.nodes = ""
        self.line: List[str] = []

    def read(self, words: List[str]) -> None:
        """Reads a line of the engine. Only the best line counts, and no bounds of scores."""
        if words[:1] != ["info"]:
            return
        found: Dict[str, List[str]] = {}
        rest = words[1:]
        while rest:
            key, rest = rest[0], rest[1:]
            if key == "string":
                break
            length = len(rest) if key == "pv" else {"score": 2, "depth": 1, "nodes": 1, "multipv": 1}.get(key, 0)
            found[key], rest = rest[:length], rest[length:]
        if found.get("multipv", ["1"]) != ["1"]:
            return
        self.nodes = "".join(found.get("nodes", [])) or self.nodes
        score = score_of(found.get("score", []))
        if score and "lowerbound" not in found and "upperbound" not in found:
            self.score = score
            self.depth = "".join(found.get("depth", []))
            self.line = found.get("pv", [])

    def note(self) -> Optional[str]:
        """Returns the note of the move: `+0.35, depth 12, 8271 nodes: e2e4 e7e5`."""
        told = [self.score, self.depth and f"depth {self.depth}", self.nodes and f"{self.nodes} nodes"]
        note = ", ".join(word for word in told if word)
        for index, move in enumerate(self.line):
            longer = note + (": " if index == 0 else " ") + move
            if len(longer) > LONGEST_NOTE:
                break
            note = longer
        return note or None


def score_of(words: List[str]) -> str:
    """Returns a score for people, from the side of the engine; empty if it is none."""
    if len(words) != 2 or not re.fullmatch(r"[+-]?\d+", words[1]):
        return ""
    kind, value = words[0], int(words[1])
    if kind == "mate":
        return f"mate in {value}" if value > 0 else f"mated in {-value}"
    return f"{value / 100:+.2f}" if kind == "cp" else ""


@dataclass
class Option:
    """An option of an engine."""

    name: str
    kind: str
    least: Optional[int] = None
    most: Optional[int] = None
    choices: List[str] = field(default_factory=list)

    @classmethod
    def read(cls, words: List[str]) -> Optional["Option"]:
        """Reads `option name Hash type spin default 16 min 1 max 1024`."""
        if words[:2] != ["option", "name"] or "type" not in words[2:-1]:
            return None
        end = words.index("type", 2)
        option = cls(name=" ".join(words[2:end]), kind=words[end + 1])
        for match in re.finditer(r"\b(min|max|var) (.*?)(?= (?:min|max|var|default) |$)", " ".join(words[end + 2:])):
            key, value = match.groups()
            if key == "var":
                option.choices.append(value)
            elif re.fullmatch(r"-?\d+", value):
                setattr(option, "least" if key == "min" else "most", int(value))
        return option

    def command(self, value: Any) -> str:
        """Returns the command that sets the option. A value that does not fit ends the bot."""
        text = self.text(value)
        return f"setoption name {self.name}" + (f" value {text}" if text is not None else "")

    def text(self, value: Any) -> Optional[str]:
        wanted = "a text"
        if self.kind == "check":
            if isinstance(value, bool):
                return "true" if value else "false"
            wanted = "true or false"
        elif self.kind == "spin":
            if isinstance(value, int) and not isinstance(value, bool):
                if (self.least is None or self.least <= value) and (self.most is None or value <= self.most):
                    return str(value)
            wanted = f"a whole number from {self.least} to {self.most}"
        elif self.kind == "combo":
            for choice in self.choices:
                if isinstance(value, str) and choice.lower() == value.lower():
                    return choice
            wanted = "one of " + ", ".join(self.choices)
        elif self.kind == "button":
            if value is True:
                return None
            wanted = "true, which presses it"
        elif isinstance(value, str) and value.isprintable():
            return value or "<empty>"
        fail(f"the engine's option {self.name} is {wanted}, not {value!r}")


#: A time of `time.monotonic()`, and what happens then.
Alarm = Tuple[float, Callable[[], object]]


class Engine:
    """A process of an engine. It answers lines with lines."""

    def __init__(self, command: Sequence[str]) -> None:
        folder = os.path.dirname(os.path.abspath(__file__))
        program = command[0]
        beside = os.path.join(folder, program)
        path: Optional[str] = beside if os.path.isfile(beside) else shutil.which(program)
        if path is None:
            fail(f"there is no engine {program} in this bot's folder or in PATH")
        try:
            self.process = subprocess.Popen(
                [path, *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=folder,
            )
        except OSError as error:
            fail(f"cannot start the engine {program}: {error.strerror}")
        self.options: Dict[str, Option] = {}
        self.rest = b""
        #: The last command, for messages.
        self.sent = ""

    def send(self, command: str) -> None:
        """Sends a command."""
        assert self.process.stdin is not None
        self.sent = command
        try:
            self.process.stdin.write(command.encode() + b"\n")
        except BrokenPipeError:
            self.died()

    def set(self, wanted: Dict[str, Any]) -> None:
        """Sets options. One that the engine does not have ends the bot."""
        names = {name.lower() for name in wanted}
        for name, value in DEFAULTS.items():
            if name.lower() not in names and name.lower() in self.options:
                self.send(self.options[name.lower()].command(value))
        for name, value in wanted.items():
            option = self.options.get(name.lower())
            if option is None:
                own = ", ".join([*SETTINGS, *(option.name for option in self.options.values())])
                log(f"options: {own}")
                fail(f"the engine has no option {name!r}")
            self.send(option.command(value))

    def wait(
        self, answer: str, alarms: Sequence[Alarm], hear: Callable[[List[str]], None] = lambda words: None
    ) -> List[str]:
        """Returns the words of the next line that begins with `answer`; `hear` gets the lines before it.

        The last alarm does not return.
        """
        for at, ring in alarms:
            words = self.read(at)
            while words is not None:
                if words[:1] == [answer]:
                    return words
                option = Option.read(words)
                if option is not None:
                    self.options[option.name.lower()] = option
                hear(words)
                # An engine that never stops talking does not hold up the alarms.
                words = self.read(at) if time.monotonic() < at else None
            ring()
        raise AssertionError("the last alarm returned")

    def read(self, until: float) -> Optional[List[str]]:
        """Returns the words of the next line; None if there is none until this time."""
        assert self.process.stdout is not None
        while b"\n" not in self.rest:
            left = max(0.0, until - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                return None
            new = os.read(self.process.stdout.fileno(), LONGEST_LINE)
            if not new:
                self.died()
            self.rest += new
            if len(self.rest) > 2 * LONGEST_LINE and b"\n" not in self.rest:
                fail(f"the engine wrote a line of more than {LONGEST_LINE} bytes")
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode("utf-8", "replace").split()

    def died(self) -> NoReturn:
        """Ends the bot because the engine has ended, or has closed its output."""
        try:
            code = self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            fail(f"the engine closed its output after {self.sent!r}")
        how = f"exited with code {code}" if code >= 0 else f"was ended by signal {-code}"
        fail(f"the engine {how} after {self.sent!r}")

    def quit(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(b"quit\n")
        except OSError:
            pass  # It has ended.
        self.process.stdin.close()
        # An engine that has more to say than anybody reads does not wait for a reader.
        self.process.stdout.close()
        try:
            self.process.wait(QUIT_TIME)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
