"""A kit for Flipside bots in Python 3.9 or newer, without dependencies.

A bot is a function from a turn to an action::

    from flipside import Turn, run

    def choose(turn: Turn) -> str:
        return turn.match.random.choice(turn.actions)

    run(choose, name="mybot")

The kit keeps the protocol: ids, flushing, UTF-8, the end of the input, and a new match in the same
process. While the bot runs, standard output is standard error, also for C code and child processes,
because standard output belongs to the referee. An exception ends the bot with its traceback on
standard error and exit code 1.

The types of views at the end of this file are for editors and type checkers::

    view: FlipFourView = turn.view

`flipside rules GAME` explains the fields, and `flipside schema GAME --example` shows real messages.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional, TypedDict

#: The version of the protocol that this kit speaks.
PROTOCOL = 1

#: The referee cuts longer notes; the kit does so before it sends them.
LONGEST_NOTE = 240


@dataclass
class Match:
    """What stays the same during a match."""

    #: The match's id.
    id: str
    #: The game's id, for example `flipfour`.
    game: str
    #: All options of the game with their values.
    options: Dict[str, Any]
    #: The seat of this bot, from 0.
    seat: int
    #: How many seats play.
    seats: int
    #: The clock in the protocol's notation, for example `move=1s`.
    clock: str
    #: The memory that the bot may use, in bytes; 0 if it is not limited.
    memory: int
    #: The seed of `random`.
    seed: int
    #: The hash that commits the referee to the dice of this match.
    commitment: str
    #: Random numbers. With all randomness from here, the bot plays the same match again.
    random: random.Random
    #: The time that the bot's clock may stand still in the match, in milliseconds; 0 if the bot may not pause.
    patience: int = 0
    #: Options that the organiser of a tournament set for this bot.
    bot_options: Dict[str, Any] = field(default_factory=dict)
    #: Anything that the bot wants to keep until its next turn of this match.
    memo: Any = None
    #: The whole message `hello`.
    message: Dict[str, Any] = field(default_factory=dict, repr=False)


class _ActSometimes(TypedDict, total=False):
    action: str


class Act(_ActSometimes):
    """What a seat did in an event. There is no `action` if it is hidden."""

    seat: int


class Fault(TypedDict):
    """A bot that was disqualified. Legal actions drawn at random stand in for it."""

    seat: int
    fault: str


class Event(TypedDict, total=False):
    """What happened once, as far as this seat may know. An event has one of these fields."""

    #: These seats acted, at the same time if there are several.
    acts: List[Act]
    #: An outcome of chance; None if it is hidden.
    chance: Any
    #: A bot was disqualified.
    fault: Fault
    #: So many older events were omitted, because the list would be too long.
    missed: int


@dataclass
class Turn:
    """A question of the referee."""

    #: The match that the turn belongs to.
    match: Match
    #: The number of the question, from 1.
    id: int
    #: Everything that this seat may see now.
    view: Any
    #: The legal actions in byte order; empty if the bot runs with `actions=False`.
    actions: List[str]
    #: The time that each seat has for its next move, in milliseconds.
    clocks: List[int]
    #: What happened since this bot's last turn, the oldest first; `flipside protocol` says more.
    events: List[Event] = field(default_factory=list)
    #: The time that the last answer was charged, in milliseconds; none in the first question of a match.
    charged: Optional[int] = None
    #: A remark for the match's record, for people. Set it to send it.
    note: Optional[str] = None
    #: When the turn arrived, by `time.monotonic()`.
    arrived: float = 0.0
    #: The whole message `turn`.
    message: Dict[str, Any] = field(default_factory=dict, repr=False)
    #: Where the kit writes its messages.
    output: Optional[BinaryIO] = field(default=None, repr=False)

    def time_left(self) -> float:
        """Returns the seconds that are left for this move."""
        return self.clocks[self.match.seat] / 1000 - (time.monotonic() - self.arrived)

    def pause(self, reason: str) -> None:
        """Asks the referee to stop this bot's clock until its answer, because a service has failed.

        Only where the match has `patience`: otherwise it is a fault.
        """
        if self.output is not None:
            _send(self.output, {"type": "pause", "reason": reason[:LONGEST_NOTE]})


Choose = Callable[[Turn], str]


def log(*words: object) -> None:
    """Writes a line to standard error. The referee keeps the end of what a bot writes there."""
    print(*words, file=sys.stderr, flush=True)


def run(
    choose: Choose,
    *,
    name: str = "",
    version: str = "1",
    actions: bool = True,
    reuse: bool = True,
    start: Optional[Callable[[Match], None]] = None,
    end: Optional[Callable[[Match, Dict[str, Any]], None]] = None,
) -> None:
    """Plays until the referee ends the input.

    `choose` returns an action. `actions` asks for the list of legal actions. With `reuse`, the same
    process may play further matches. `start` is called when a match begins, before the bot says that
    it is ready: raise an exception there if the bot does not play the game. `end` is called with the
    message `over`.
    """
    # `print` uses sys.stdout; child processes and C code use file descriptor 1. Children do not get
    # the copy.
    output = open(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    try:
        sys.stdout.flush()  # What was printed before goes to standard error, too.
    except (AttributeError, ValueError):
        pass  # The bot has closed or replaced it.
    sys.stdout = sys.stderr
    ready = {
        "type": "ready", "name": name, "version": version, "actions": actions, "reuse": reuse,
        "events": True,
    }
    try:
        with output:
            _converse(sys.stdin.buffer, output, choose, ready, start, end)
    except BrokenPipeError:
        pass  # The referee no longer listens, so there is nobody left to answer.


def _converse(
    lines: Iterable[bytes],
    output: BinaryIO,
    choose: Choose,
    ready: Dict[str, Any],
    start: Optional[Callable[[Match], None]] = None,
    end: Optional[Callable[[Match, Dict[str, Any]], None]] = None,
) -> None:
    match: Optional[Match] = None
    for line in lines:
        arrived = time.monotonic()
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            match = _begin(message)
            if start is not None:
                start(match)
            _send(output, ready)
        elif kind == "turn":
            if match is None:
                raise ValueError("a turn came before hello")
            turn = Turn(
                match=match,
                id=message["id"],
                view=message["view"],
                actions=message.get("actions", []),
                clocks=message["clocks"],
                charged=message.get("charged"),
                events=message.get("events", []),
                arrived=arrived,
                message=message,
                output=output,
            )
            _send(output, _answer(choose, turn))
        elif kind == "over":
            if match is not None and end is not None:
                end(match, message)
            match = None


def _begin(hello: Dict[str, Any]) -> Match:
    if hello["protocol"] != PROTOCOL:
        raise ValueError(f"this kit speaks version {PROTOCOL} of the protocol, not {hello['protocol']}")
    return Match(
        id=hello["match"],
        game=hello["game"],
        options=hello["options"],
        seat=hello["seat"],
        seats=hello["seats"],
        clock=hello["clock"],
        memory=hello["limits"]["memory"],
        seed=hello["seed"],
        commitment=hello.get("commitment", ""),
        random=random.Random(hello["seed"]),
        patience=hello.get("patience", 0),
        bot_options=hello.get("bot_options", {}),
        message=hello,
    )


def _answer(choose: Choose, turn: Turn) -> Dict[str, Any]:
    action = choose(turn)
    if not isinstance(action, str):
        raise TypeError(f"the bot's function returned {action!r}, which is not an action")
    answer = {"type": "act", "id": turn.id, "action": action}
    if turn.note is not None:
        answer["note"] = turn.note[:LONGEST_NOTE]
    return answer


def _send(output: BinaryIO, message: Dict[str, Any]) -> None:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n"
    # Half of a surrogate pair cannot be written as UTF-8.
    rest = text.encode("utf-8", "replace")
    while rest:
        rest = rest[output.write(rest) or 0 :]


# The views of the games. A class `_…Sometimes` has the fields that are there only sometimes.


class BoardOver(TypedDict):
    """How a board game ended."""

    winner: Optional[int]
    reason: str


class _BoardSometimes(TypedDict, total=False):
    over: BoardOver


class FlipFlopView(_BoardSometimes):
    """`flipflop-3x3` and `flipflop-5x5`. The board's rows come from the top rank down."""

    board: List[str]
    to_move: Optional[int]
    ply: int
    repetitions: int


class FlipFourView(_BoardSometimes):
    """`flipfour`: `R` and `B` are seat 0's pieces, `r` and `b` seat 1's."""

    board: List[str]
    hands: List[int]
    to_move: Optional[int]
    ply: int
    repetitions: int


class YonmoqueView(_BoardSometimes):
    """`yonmoque`: `B` is a blue piece (seat 0), `W` a white one (seat 1)."""

    board: List[str]
    hands: List[int]
    to_move: Optional[int]
    ply: int
    repetitions: int


class PointsOver(TypedDict):
    """How a match ended: points by seat."""

    points: List[int]
    reason: str


class Flip4Last(TypedDict):
    """The turn before this one."""

    seat: int
    roll: List[int]
    action: Optional[str]


class _Flip4Sometimes(TypedDict, total=False):
    over: PointsOver


class Flip4View(_Flip4Sometimes):
    """`flip4`: numbers of the squares in `layout`, pieces by the digit of their seat in `board`."""

    layout: List[List[Optional[int]]]
    board: List[str]
    part: int
    phase: str
    start: Optional[int]
    direction: str
    to_move: Optional[int]
    rolls: List[List[int]]
    hands: List[int]
    lost_turns: List[int]
    turns: int
    last: Optional[Flip4Last]


class Phase10Group(TypedDict):
    """A group of cards on the table."""

    kind: str
    colour: Optional[str]
    cards: List[str]


class _Phase10SeatSometimes(TypedDict, total=False):
    backs: List[str]


class Phase10Seat(_Phase10SeatSometimes):
    """What is seen of a seat. `backs` is there for other seats only."""

    score: int
    completed: int
    phase: int
    laid: bool
    cards: int
    groups: List[Phase10Group]


class Phase10Pile(TypedDict):
    """A pile of cards."""

    cards: int
    top: Optional[str]


class Phase10Open(TypedDict):
    """All cards, after the match."""

    cards: List[List[str]]
    hands: List[List[int]]
    groups: List[List[List[int]]]
    draw_pile: List[int]
    discard_pile: List[int]


class _Phase10Sometimes(TypedDict, total=False):
    hand: List[str]
    over: PointsOver
    open: Phase10Open


class Phase10View(_Phase10Sometimes):
    """`phase10-flip`."""

    round: int
    deciding: Optional[List[int]]
    dealer: Optional[int]
    side: str
    turn: int
    stage: str
    to_move: Optional[int]
    seats: List[Phase10Seat]
    draw_pile: Phase10Pile
    discard_pile: Phase10Pile


class Puissance4Tray(TypedDict):
    """A tray: `ranks[0]` is the last rank; a cell is its stack of letters from bottom to top."""

    ranks: List[List[str]]
    rim: str


class Puissance4Line(TypedDict):
    """Four cells of a tray."""

    tray: str
    cells: List[str]


class Puissance4Scored(TypedDict):
    """The last line that counted."""

    round: int
    side: int
    line: Puissance4Line


class _Puissance4FlyingSometimes(TypedDict, total=False):
    aim: str
    lands: int


class Puissance4Flying(_Puissance4FlyingSometimes):
    """A token in the air. `aim` is there only for your own side, `lands` only after the match."""

    launched: int


class _Puissance4SideSometimes(TypedDict, total=False):
    reloaded: int


class Puissance4Side(_Puissance4SideSometimes):
    """What a side has."""

    score: int
    holder: int
    hand: int
    ready: bool
    launched: Optional[int]
    in_air: List[Puissance4Flying]
    picked_up: List[int]
    out: int


class _Puissance4FoundSometimes(TypedDict, total=False):
    new: bool
    claimed: int


class Puissance4Found(_Puissance4FoundSometimes):
    """Lines of a side that were found together."""

    side: int
    since: int
    lines: List[Puissance4Line]


class Puissance4Claim(TypedDict):
    """A line that is being claimed."""

    side: int
    since: int
    line: Puissance4Line


class Puissance4LandedToken(TypedDict):
    """A token that came down."""

    side: int
    launched: int
    place: str


class Puissance4Landed(TypedDict):
    """What came down in one tick."""

    tick: int
    tokens: List[Puissance4LandedToken]


class _Puissance4Sometimes(TypedDict, total=False):
    claim: Puissance4Claim
    over: PointsOver


class Puissance4View(_Puissance4Sometimes):
    """`puissance4-basic` and `puissance4-championship`."""

    round: int
    tick: int
    phase: str
    to_move: List[int]
    top: Puissance4Tray
    bottom: Puissance4Tray
    sides: List[Puissance4Side]
    lines: List[Puissance4Found]
    landed: Optional[Puissance4Landed]
    scored: Optional[Puissance4Scored]


class ExtraProKinds(TypedDict):
    """How many tokens there are of each kind."""

    basic: int
    bomb: int
    cell: int
    double: int
    line: int


class ExtraProSide(TypedDict):
    """What a side has."""

    score: int
    holder: int
    hand: ExtraProKinds
    out: ExtraProKinds


class ExtraProFlying(TypedDict):
    """The token in the air."""

    side: int
    kind: str
    aim: str


class ExtraProLanding(TypedDict):
    """What came down last."""

    side: int
    kind: str
    place: str


class _ExtraProSometimes(TypedDict, total=False):
    in_air: ExtraProFlying
    power_at: str
    over: PointsOver


class ExtraProView(_ExtraProSometimes):
    """`puissance4-extra-pro`."""

    round: int
    phase: str
    to_move: Optional[int]
    starts: Optional[int]
    top: Puissance4Tray
    bottom: Puissance4Tray
    sides: List[ExtraProSide]
    landed: Optional[ExtraProLanding]
    scored: Optional[Puissance4Scored]


#: The type of the view of each game.
VIEWS: Dict[str, type] = {
    "flip4": Flip4View,
    "flipflop-3x3": FlipFlopView,
    "flipflop-5x5": FlipFlopView,
    "flipfour": FlipFourView,
    "phase10-flip": Phase10View,
    "puissance4-basic": Puissance4View,
    "puissance4-championship": Puissance4View,
    "puissance4-extra-pro": ExtraProView,
    "yonmoque": YonmoqueView,
}
