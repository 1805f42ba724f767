"""The client of ``flipside env GAME``: one method for each request of its protocol."""

from __future__ import annotations

import base64
import contextlib
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from flipside_env.process import Process, ProcessFailed, flipside_program, line_of

#: A seat, ``"public"`` or ``"open"``.
Viewer = Union[int, str]

#: The version of the protocol that this client speaks.
PROTOCOL = 1

#: Seeds are below this number.
SEEDS = 2**53

#: The outcome of chance that the process samples.
SAMPLE = object()


class FlipsideError(Exception):
    """Something that ``flipside env`` answered, or that kept it from answering. The text says why."""


class Refused(FlipsideError):
    """The rules, or the state of the table, do not allow what it was told."""


@dataclass(frozen=True)
class Game:
    """What holds for every match of a game."""

    id: str
    title: str
    summary: str
    #: The numbers of seats that a match may have, ascending.
    seats: Tuple[int, ...]
    chance: bool
    #: Whether information is hidden from a seat.
    secrets: bool
    #: Whether several seats may have to choose at once.
    simultaneous: bool
    #: A JSON Schema of the options.
    options: Dict[str, Any]
    #: A JSON Schema of views.
    view: Dict[str, Any]
    #: A regular expression that matches every action.
    notation: str
    #: All actions of all matches in byte order; None if they are too many.
    all_actions: Optional[Tuple[str, ...]]
    #: The shape of observations as arrays, (planes, rows, columns); None if the game has none.
    shape: Optional[Tuple[int, int, int]]
    #: What each plane of an observation means.
    planes: Tuple[str, ...]
    #: The whole message ``environment``.
    message: Dict[str, Any] = field(repr=False)


class Over(NamedTuple):
    """How a match ended."""

    #: The points of the game by seat; more is better.
    points: List[int]
    #: The places by seat: 1 is the best, equal is a tie.
    places: List[int]
    #: The rule that ended it.
    reason: str


@dataclass(frozen=True)
class State:
    """What a table waits for.

    The lists have an entry for each seat in ``asked``, or are None if they were not wanted.
    """

    table: int
    #: The seats that are asked, ascending. Empty when the match is over or waits for chance.
    asked: Tuple[int, ...]
    #: The number of the side of each seat: the seats of a team have the same.
    sides: Tuple[int, ...]
    #: Whether the table waits for chance.
    waits_for_chance: bool = False
    views: Optional[List[Any]] = None
    #: The legal actions in byte order.
    actions: Optional[List[List[str]]] = None
    #: The legal actions as positions in :attr:`Game.all_actions`.
    indices: Optional[List[List[int]]] = None
    #: Arrays of bytes of the shape :attr:`Game.shape`.
    observations: Optional[List[npt.NDArray[np.uint8]]] = None
    over: Optional[Over] = None
    #: Why the step was refused; then the table is as it was.
    refused: Optional[str] = None


@dataclass(frozen=True)
class History:
    """All that has happened at a table; :meth:`Client.restore` makes the same state of it."""

    options: Dict[str, Any]
    seats: int
    events: List[Dict[str, Any]]


@dataclass(frozen=True)
class Arrays:
    """The tables of a batch: the first dimension of each array is the table."""

    #: The seat that is asked, 255 when the match is over.
    asked: npt.NDArray[np.uint8]
    #: 1 for each legal action of :attr:`Game.all_actions`; all 0 when the match is over.
    legal: npt.NDArray[np.int8]
    #: What the seat that is asked sees; the first seat when the match is over.
    observations: npt.NDArray[np.uint8]
    #: The points by seat when the match is over, otherwise 0.
    points: npt.NDArray[np.int32]


class Client:
    """A process ``flipside env GAME``. Use it in a ``with`` statement, or :meth:`close` it.

    ``game`` is the id of a game, or the path of a game program. ``flipside`` is the program; by default that of the
    variable ``FLIPSIDE``, or the one on ``PATH``. ``arena`` is the folder of an arena whose games are known, too. With
    ``trust``, a game program runs without isolation.

    Every method raises :class:`FlipsideError` with the reason that the process gives.
    """

    def __init__(
        self, game: str, *, flipside: Optional[str] = None, arena: Optional[str] = None, trust: bool = False
    ) -> None:
        options = [] if arena is None else ["--arena", arena]
        if trust:
            options.append("--trust")
        try:
            self._process = Process([flipside_program(flipside), "env", *options, game])
        except ProcessFailed as error:
            raise FlipsideError(str(error)) from None
        #: By table, the sides of its seats, which do not change during a match.
        self._sides: Dict[int, Tuple[int, ...]] = {}
        try:
            self.game = self._describe()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        self._process.close()

    @contextlib.contextmanager
    def _exchange(self) -> Iterator[None]:
        try:
            yield
        except ProcessFailed as error:
            raise FlipsideError(str(error)) from None
        except FlipsideError:
            raise
        except BaseException:
            # The rest of the answer is still to come, and the next request would take it for its own.
            self.close()
            raise

    def request(self, type: str, **fields: Any) -> Dict[str, Any]:
        """Sends a request and returns the answer as it came. Fields that are None are left out.

        Not those of a batch, whose arrays follow the answer: they have :meth:`batch` and :meth:`play`.
        """
        if type in ("batch", "play"):
            raise FlipsideError(f"arrays follow the answer to {type}; call {type}() instead")
        return self._request(type, fields)

    def _request(self, type: str, fields: Dict[str, Any]) -> Dict[str, Any]:
        message = {"type": type}
        message.update((key, value) for key, value in fields.items() if value is not None)
        line = line_of(message)
        with self._exchange():
            self._process.send(line)
            answer: Dict[str, Any] = self._process.receive()
        if answer.get("type") == "error":
            raise FlipsideError(answer["why"])
        return dict(answer)

    def reset(
        self,
        tables: Iterable[int],
        seeds: Iterable[int],
        *,
        options: Optional[Dict[str, Any]] = None,
        seats: Optional[int] = None,
        chance: str = "sampled",
        want: Optional[Sequence[str]] = None,
    ) -> List[State]:
        """Begins a match at each of the tables, with its seed.

        ``want`` names what each state has of ``views``, ``actions``, ``indices`` and ``observations``; by default the
        first two. With ``chance="asked"``, :meth:`step_chance` plays chance.
        """
        answer = self.request(
            "reset",
            tables=_whole(tables),
            seeds=_whole(seeds),
            options=options,
            seats=seats,
            chance=chance,
            **{"with": want},
        )
        return self._states(answer)

    def step(self, steps: Sequence[Dict[str, Any]], *, want: Optional[Sequence[str]] = None) -> List[State]:
        """Plays steps, each at a table of its own, in the protocol's form. A step that is refused is no exception here:
        its state has :attr:`State.refused`."""
        return self._states(self.request("step", steps=list(steps), **{"with": want}))

    def act(self, table: int, *acts: str, want: Optional[Sequence[str]] = None) -> State:
        """Plays the choices of the seats that are asked, by ascending seat. Raises :class:`Refused`."""
        return _accepted(self.step([{"table": table, "acts": acts}], want=want))

    def step_chance(self, table: int, outcome: Any = SAMPLE, *, want: Optional[Sequence[str]] = None) -> State:
        """Plays chance: this outcome, or one that is sampled. Raises :class:`Refused`."""
        chance = {"sample": True} if outcome is SAMPLE else {"chance": outcome}
        return _accepted(self.step([{"table": table, **chance}], want=want))

    def states(self, tables: Iterable[int], *, want: Optional[Sequence[str]] = None) -> List[State]:
        """Returns what the tables wait for."""
        return self._states(self.request("states", tables=_whole(tables), **{"with": want}))

    def view(self, table: int, viewer: Viewer) -> Any:
        """Returns what a viewer sees."""
        return self.request("view", table=table, viewer=viewer)["view"]

    def observation(self, table: int, viewer: Viewer) -> npt.NDArray[np.uint8]:
        """Returns what a viewer sees as an array; only in games that have :attr:`Game.shape`."""
        return self._array(self.request("view", table=table, viewer=viewer)["observation"])

    def draw(self, table: int, viewer: Viewer = "public", *, svg: bool = False) -> str:
        """Returns a drawing of what a viewer sees, as text or SVG."""
        answer = self.request("draw", table=table, viewer=viewer, **{"as": "svg" if svg else "text"})
        return str(answer["drawing"])

    def clone(
        self,
        table: int,
        to: Iterable[int],
        seeds: Optional[Iterable[int]] = None,
        *,
        want: Optional[Sequence[str]] = None,
    ) -> List[State]:
        """Copies a table. Without seeds, the copies meet the same chance as the table."""
        fields = {"table": table, "to": _whole(to), "seeds": None if seeds is None else _whole(seeds), "with": want}
        return self._states(self.request("clone", **fields))

    def redeal(
        self,
        table: int,
        to: Iterable[int],
        seeds: Iterable[int],
        viewer: Viewer,
        *,
        want: Optional[Sequence[str]] = None,
    ) -> List[State]:
        """Copies a table, and samples anew what the viewer does not know."""
        fields = {"table": table, "to": _whole(to), "seeds": _whole(seeds), "viewer": viewer, "with": want}
        return self._states(self.request("redeal", **fields))

    def history(self, table: int) -> History:
        """Returns all that has happened at a table."""
        answer = self.request("history", table=table)
        return History(answer["options"], answer["seats"], answer["events"])

    def restore(
        self,
        tables: Iterable[int],
        seeds: Iterable[int],
        history: History,
        *,
        chance: str = "sampled",
        want: Optional[Sequence[str]] = None,
    ) -> List[State]:
        """Brings tables into the state after this history; what chance does next follows from their seeds."""
        answer = self.request(
            "restore",
            tables=_whole(tables),
            seeds=_whole(seeds),
            options=history.options,
            seats=history.seats,
            events=history.events,
            chance=chance,
            **{"with": want},
        )
        return self._states(answer)

    def close_tables(self, tables: Iterable[int]) -> None:
        """Forgets tables."""
        self.request("close", tables=_whole(tables))

    def batch(
        self, tables: int, seed: int, *, options: Optional[Dict[str, Any]] = None, seats: Optional[int] = None
    ) -> Arrays:
        """Begins a batch of so many tables, in place of the batch before."""
        self._process.expect_much()
        return self._arrays("batch", tables=tables, seed=seed, options=options, seats=seats)

    def play(self, actions: Sequence[int]) -> Arrays:
        """Plays an action, by its index, at each table of the batch; -1 begins a new match where one is over."""
        return self._arrays("play", actions=actions)

    def _describe(self) -> Game:
        message = self.request("describe")
        if message["protocol"] != PROTOCOL:
            raise FlipsideError(
                f"this package speaks version {PROTOCOL} of the protocol of environments, and {self._process.name}"
                f" speaks version {message['protocol']}; install the package of that version of Flipside"
            )
        game, arrays = message["game"], message.get("observation")
        actions = message.get("all_actions")
        return Game(
            id=game["id"],
            title=game["title"],
            summary=game["summary"],
            seats=tuple(game["seats"]),
            chance=game["chance"],
            secrets=game["secrets"],
            simultaneous=game["simultaneous"],
            options=message["options"],
            view=message["view"],
            notation=message["notation"],
            all_actions=None if actions is None else tuple(actions),
            shape=None if arrays is None else tuple(arrays["shape"]),
            planes=() if arrays is None else tuple(arrays["planes"]),
            message=message,
        )

    def _states(self, answer: Dict[str, Any]) -> List[State]:
        if "sides" in answer:
            sides = tuple(answer["sides"])
            self._sides.update((state["table"], sides) for state in answer["states"])
        return [self._state(state) for state in answer["states"]]

    def _state(self, state: Dict[str, Any]) -> State:
        arrays, over = state.get("observations"), state.get("over")
        return State(
            table=state["table"],
            asked=tuple(state.get("asked", ())),
            sides=self._sides[state["table"]],
            waits_for_chance=state.get("waits") == "chance",
            views=state.get("views"),
            actions=state.get("actions"),
            indices=state.get("indices"),
            observations=None if arrays is None else [self._array(array) for array in arrays],
            over=None if over is None else Over(over["points"], over["places"], over["reason"]),
            refused=state.get("refused"),
        )

    def _array(self, text: str) -> npt.NDArray[np.uint8]:
        assert self.game.shape is not None, "only games with a shape have arrays"
        return np.frombuffer(base64.b64decode(text), np.uint8).reshape(self.game.shape).copy()

    def _arrays(self, type: str, **fields: Any) -> Arrays:
        with self._exchange():
            answer = self._request(type, fields)
            sizes = [answer[name] for name in ("asked", "legal", "observations", "points")]
            received = np.frombuffer(self._process.receive_bytes(sum(sizes)), np.uint8)
        game = self.game
        assert game.all_actions is not None and game.shape is not None, "a batch was refused otherwise"
        asked, legal, observations, points = np.split(received, np.cumsum(sizes)[:-1])
        tables, actions = len(asked), len(game.all_actions)
        return Arrays(
            # Not a part of all that was received, which whoever keeps it would keep, too.
            asked=asked.copy(),
            legal=np.unpackbits(legal.reshape(tables, -1), axis=1, count=actions).view(np.int8),
            observations=observations.reshape(tables, *game.shape),
            points=np.frombuffer(points.tobytes(), np.dtype("<i4")).astype(np.int32, copy=False).reshape(tables, -1),
        )


def _whole(numbers: Iterable[int]) -> List[int]:
    """Returns numbers as JSON has them: those of numpy are others."""
    return [int(number) for number in numbers]


def _accepted(states: List[State]) -> State:
    (state,) = states
    if state.refused is not None:
        raise Refused(state.refused)
    return state
