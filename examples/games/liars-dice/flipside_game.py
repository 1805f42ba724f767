"""A kit for Flipside games in Python 3.9 or newer, without dependencies.

A game is a class, and an object of it is a match::

    from flipside_game import Game, serve

    class Stones(Game):
        id = "stones"
        title = "Stones"
        summary = "Take one, two or three stones; whoever takes the last one wins"
        notation = "[123]"

        def start(self, options, seats):
            self.stones = 21
            self.mover = 0

        def to_move(self):
            return self.mover

        def actions(self, seat):
            return [take for take in "123" if int(take) <= self.stones]

        def play(self, seat, action):
            self.stones -= int(action)
            self.mover = 1 - seat

        def over(self):
            if self.stones > 0:
                return None
            return ([0, 1] if self.mover == 0 else [1, 0]), "last-stone"

        def view(self, viewer):
            return {"stones": self.stones, "to_move": self.mover}

    if __name__ == "__main__":
        serve(Stones)

The kit keeps the protocol: it completes and checks the options, sorts the actions, refuses what is
not legal, and replays matches. While the program runs, standard output is standard error, because
standard output belongs to the referee. An exception ends the program with its traceback on standard
error and exit code 1, and the match is void.

A bot can import the same file to look ahead by the rules of the game::

    state = Stones.begin(turn.match.options, turn.match.seats)
    for event in turn.events:
        state.take(event)
    after = state.copy()
    after.play(turn.match.seat, turn.actions[0])
"""

from __future__ import annotations

import copy
import inspect
import json
import os
import random
import re
import sys
from typing import (
    Any, BinaryIO, Callable, ClassVar, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple,
    Type, TypeVar, Union,
)

#: The version of the protocol that this kit speaks.
PROTOCOL = 1

#: Who looks at a match: a seat, `"public"` for a spectator, or `"open"` for everybody afterwards.
Viewer = Union[int, str]

#: How a match ended: points by seat, more are better, and the name of the rule that ended it.
Over = Tuple[Sequence[int], str]


#: How a person points at an action: at marks of the drawing, or at marks and then at a choice beside it.
ActionPath = Union[Sequence[str], Tuple[Sequence[str], str]]


class _Sample:
    def __repr__(self) -> str:
        return "SAMPLE"

    def __deepcopy__(self, memo: Any) -> "_Sample":
        return self


#: What `Game.chance` returns if `Game.sample` makes the outcome.
SAMPLE = _Sample()

#: What chance may do: outcomes with their weights, or `SAMPLE`.
Chance = Union[_Sample, Sequence[Tuple[Any, int]]]

#: So much of a wrong text is quoted in a refusal.
LONGEST_QUOTE = 40

_TYPES: Dict[str, Tuple[str, Callable[[Any], bool]]] = {
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": (
        "a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    ),
    "string": ("a text", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
}

_Self = TypeVar("_Self", bound="Game")


class Refused(ValueError):
    """Something is not allowed. The text says why, for the person who wrote it."""

    def __init__(self, reason: str, malformed: bool = False) -> None:
        super().__init__(reason)
        #: Whether an action is not in the notation of the game at all.
        self.malformed = malformed


class Game:
    """A game, and each object of it is a match. Derive your own class from it.

    Every game has `id`, `title`, `summary` and `notation`, and the methods `start`, `to_move` (or
    `asks`), `actions`, `play` (or `apply`), `over` and `view`. The rest is for games that need it.
    """

    #: The id that people type: lower-case letters and digits, with hyphens between words.
    id: ClassVar[str] = ""
    #: The name that people read.
    title: ClassVar[str] = ""
    #: A description in one line.
    summary: ClassVar[str] = ""
    #: The supported numbers of seats, ascending, from 1 to 6.
    seats: ClassVar[Sequence[int]] = (2,)
    #: A regular expression that matches the whole text of every action.
    notation: ClassVar[str] = ""
    #: Whether any information is hidden from a seat.
    secrets: ClassVar[bool] = False
    #: Whether several seats may have to choose at once.
    simultaneous: ClassVar[bool] = False
    #: Whether `actions` lists all legal actions. A game without lists implements `check` and `choose`.
    lists: ClassVar[bool] = True
    #: The options by name, each a JSON Schema with its `default`.
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: Options for short matches that still show the game.
    brief: ClassVar[Mapping[str, Any]] = {}
    #: Named options, apart from the default, that tests must cover.
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: The names of the rules that end a match. If you list them, the kit rejects any other name.
    reasons: ClassVar[Sequence[str]] = ()
    #: The page of rules, in Markdown, beside the file of the game; empty if there is none.
    rules_file: ClassVar[str] = "rules.md"
    #: A JSON Schema of the views, for authors of bots.
    view_schema: ClassVar[Mapping[str, Any]] = {}

    # Every game has these.

    def start(self, options: Dict[str, Any], seats: int) -> None:
        """Begins the match. Raise `Refused` if the options do not go together."""
        raise NotImplementedError("the game has no method start")

    def to_move(self) -> int:
        """Returns the seat whose turn it is. It is asked only if the match waits for a seat."""
        raise NotImplementedError("the game has no method to_move or asks")

    def actions(self, seat: int) -> Iterable[str]:
        """Returns the legal actions of a seat that is asked, in any order."""
        raise NotImplementedError("the game has no method actions")

    def play(self, seat: int, action: str) -> None:
        """Takes a legal action of a seat."""
        raise NotImplementedError("the game has no method play or apply")

    def over(self) -> Optional[Over]:
        """Returns points and reason if the match is over, and None if not."""
        raise NotImplementedError("the game has no method over")

    def view(self, viewer: Viewer) -> Dict[str, Any]:
        """Returns everything that a viewer may see now. `text` and `svg` draw it.

        A game without hidden information ignores the viewer.
        """
        raise NotImplementedError("the game has no method view")

    # Games in which several seats choose at once.

    def asks(self) -> Iterable[int]:
        """Returns the seats that choose now."""
        return [self.to_move()]

    def apply(self, acts: Mapping[int, str]) -> None:
        """Takes the legal actions of all seats that were asked."""
        for seat, action in acts.items():
            self.play(seat, action)

    # Games with chance.

    def chance(self) -> Optional[Chance]:
        """Returns what chance may do now, or None if the match waits for seats.

        Outcomes are JSON values other than null. If there are too many of them to list, return
        `SAMPLE` and implement `sample`.
        """
        return None

    def sample(self, random: random.Random) -> Any:
        """Returns an outcome of chance, with all randomness from `random`. The state must not change."""
        chance = self.chance()
        if chance is None or isinstance(chance, _Sample):
            raise NotImplementedError("the game has no method sample")
        return random.choices([outcome for outcome, _ in chance], [weight for _, weight in chance])[0]

    def apply_chance(self, outcome: Any) -> None:
        """Takes an outcome of chance.

        If `sample` makes the outcomes, raise `Refused` for one that is not possible, before
        anything changes.
        """
        raise NotImplementedError("the game has no method apply_chance")

    # Games with hidden information.

    def action_seen_by(self, seat: int, action: str) -> Optional[Iterable[int]]:
        """Returns the seats that learn this action, which was just taken.

        None stands for all seats in a game without secrets, and for the seat itself in one with.
        """
        return None

    def chance_seen_by(self, outcome: Any) -> Optional[Iterable[int]]:
        """Returns the seats that learn this outcome of chance, which was just taken.

        None stands for all seats in a game without secrets, and for no seat in one with.
        """
        return None

    def redeal(self, viewer: Viewer, random: random.Random) -> None:
        """Samples the information again that is hidden from a viewer, with all randomness from `random`.

        `flipside game check` uses it to test that the game keeps its secrets: afterwards, the viewer
        must see the same as before. It is never called for `"open"`.
        """
        raise NotImplementedError("the game has no method redeal")

    # All of these are optional.

    def check(self, seat: int, action: str) -> None:
        """Raises `Refused` with the reason why a seat may not do this now.

        A game with lists is asked only about actions in the notation that `actions` does not list.
        """

    def choose(self, seat: int, random: random.Random) -> str:
        """Returns a random legal action of a seat. The state must not change."""
        return random.choice(sorted(set(self.actions(seat))))

    def sides(self) -> Optional[Sequence[int]]:
        """Returns the side of each seat in a game with teams."""
        return None

    def action_words(self, action: str) -> Optional[str]:
        """Returns words that follow the name of the player: `places a rook on c3`."""
        return None

    def chance_words(self, outcome: Any) -> Optional[str]:
        """Returns words for an outcome of chance."""
        return None

    def path(self, seat: int, action: str) -> ActionPath:
        """Returns how a person points at a legal action on the drawing of `svg`.

        That is a list of marks, each the `data-mark` of an element: `["b4", "c3"]`; or marks and a
        choice, which is a button beside the drawing: `(["b7", "b8"], "queen")`, `([], "pass")`.
        """
        raise NotImplementedError("the game has no method path")

    # A view may be drawn without a match, so these two know nothing but the view.

    @staticmethod
    def text(view: Dict[str, Any]) -> Optional[str]:
        """Draws a view as lines of text."""
        return None

    @staticmethod
    def svg(view: Dict[str, Any]) -> Optional[str]:
        """Draws a view as one `<svg>` element."""
        return None

    # For bots that look ahead, and for tests.

    @classmethod
    def begin(
        cls: Type[_Self], options: Optional[Mapping[str, Any]] = None, seats: Optional[int] = None
    ) -> _Self:
        """Returns a match at its beginning. Options that are not given have their defaults."""
        state = cls()
        state.start(cls.complete(options or {}), cls.seats[0] if seats is None else seats)
        return state

    def take(self, event: Mapping[str, Any]) -> None:
        """Takes an event, as a bot gets it in `turn.events`. Nothing is checked.

        Raises `ValueError` if the event is hidden or was left out: then this is not the state of
        the match any more.
        """
        if "acts" in event:
            if not all("action" in act for act in event["acts"]):
                raise ValueError("an action is hidden")
            self.apply({act["seat"]: act["action"] for act in event["acts"]})
        elif "chance" in event:
            if event["chance"] is None:
                raise ValueError("an outcome of chance is hidden")
            self.apply_chance(event["chance"])
        elif "missed" in event:
            raise ValueError("older events were left out")

    def copy(self: _Self) -> _Self:
        """Returns a match that goes on from here by itself.

        It copies everything. A search makes many copies, so a game may copy only what changes.
        """
        return copy.deepcopy(self)

    @classmethod
    def complete(cls, options: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns all options, with the given ones in place of the defaults.

        Raises `Refused` if one is unknown or does not fit its schema.
        """
        for name in options:
            if name not in cls.options:
                known = ", ".join(cls.options) or "none"
                raise Refused(f"option {_cut(name)}: there is no such option; the options are: {known}")
        complete = {}
        for name, schema in cls.options.items():
            if name in options:
                complete[name] = options[name]
                _check_option(name, schema, options[name])
            elif "default" in schema:
                complete[name] = schema["default"]
        return complete


def _check_option(name: str, schema: Mapping[str, Any], value: Any) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    words, fits = _TYPES.get(schema.get("type", ""), ("a value", lambda value: True))
    if "enum" in schema:
        words = "one of " + ", ".join(json.dumps(one) for one in schema["enum"])
        # Python takes true for 1, and JSON does not.
        good = _canonical(value) in map(_canonical, schema["enum"])
    else:
        good = fits(value) and (least is None or value >= least) and (most is None or value <= most)
        if least is not None and most is not None:
            words += f" from {least} to {most}"
        elif least is not None:
            words += f" of at least {least}"
        elif most is not None:
            words += f" of at most {most}"
    if not good:
        raise Refused(f"option {name}: {words}, not {_cut(json.dumps(value))}")


class Table:
    """A match of a game, as the referee sees it: it answers requests."""

    def __init__(self, game: Type[Game]) -> None:
        for name in ("text", "svg"):
            if not isinstance(inspect.getattr_static(game, name), (staticmethod, classmethod)):
                raise TypeError(f"{name} needs @staticmethod: a view is drawn without a match")
        self.game = game
        self._seats = 0
        self._state: Optional[Game] = None
        # What the match waits for, and the actions that were listed for it.
        self._over: Optional[Over] = None
        self._chance: Optional[Chance] = None
        self._asks: List[int] = []
        self._listed: Dict[int, List[str]] = {}

    def answer(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        """Answers a request of the referee. Both are messages of the protocol, as dictionaries."""
        handler = _REQUESTS.get(request["type"])
        if handler is None:
            return {"type": "unsupported"}
        try:
            return handler(self, request)
        except Refused as refused:
            return {"type": "refused", "reason": str(refused), "malformed": refused.malformed}

    # The requests.

    def _describe(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        game = self.game
        return {
            "type": "game", "protocol": PROTOCOL,
            "id": game.id, "title": game.title, "summary": game.summary, "seats": list(game.seats),
            "chance": game.chance is not Game.chance, "secrets": game.secrets,
            "simultaneous": game.simultaneous, "lists": game.lists, "notation": game.notation,
            "options": {
                "type": "object", "properties": game.options, "additionalProperties": False,
            },
            "brief": game.brief, "presets": game.presets, "rules": _rules(game),
            "view": game.view_schema,
        }

    def _setup(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        options = self._begin(request)
        return {**self._tell(None), **self._tell_sides(), "options": options}

    def _acts(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        self._apply(request["acts"])
        return self._tell(self._acts_seen(request["acts"]))

    def _outcome(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        self._apply_chance(request["outcome"])
        return self._tell(self._chance_seen(request["outcome"]))

    def _replay(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        self._begin(request)
        seen: Optional[List[List[int]]] = None
        for event in request["events"]:
            if "chance" in event:
                self._apply_chance(event["chance"])
                seen = self._chance_seen(event["chance"])
            else:
                self._apply(event["acts"])
                seen = self._acts_seen(event["acts"])
        return {**self._tell(seen), **self._tell_sides()}

    def _sample(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        state = self._match()
        if self._chance is None:
            raise Refused("the match does not wait for chance")
        outcome = state.sample(_random(request["random"]))
        if outcome is None:
            raise ValueError("null is no outcome: it stands for a hidden one")
        return {"type": "outcome", "outcome": outcome}

    def _redeal(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        state, viewer = self._match(), self._viewer(request)
        if self.game.redeal is Game.redeal:
            return {"type": "unsupported"}
        if viewer != "open":
            state.redeal(viewer, _random(request["random"]))
            self._look()
        return self._tell(None)

    def _choose(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        seat = request["seat"]
        self._refuse_unasked(seat)
        return {"type": "action", "action": self._match().choose(seat, _random(request["random"]))}

    def _legal(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        self._check(request["seat"], request["action"])
        return {"type": "legal"}

    def _view(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        return {"type": "view", "view": self._match().view(self._viewer(request))}

    def _draw(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        draw = {"text": self.game.text, "svg": self.game.svg}.get(request["as"])
        drawing = None if draw is None else draw(request["view"])
        return {"type": "unsupported"} if drawing is None else {"type": "drawing", "drawing": drawing}

    def _paths(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        state, seat = self._match(), request["seat"]
        if self.game.path is Game.path or not self.game.lists:
            return {"type": "unsupported"}
        self._refuse_unasked(seat)
        return {"type": "paths", "paths": [_path(state.path(seat, it)) for it in self._actions(seat)]}

    def _words(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        state, words = self._match(), None
        if "action" in request:
            words = state.action_words(request["action"])
        elif "outcome" in request:
            words = state.chance_words(request["outcome"])
        return {"type": "unsupported"} if words is None else {"type": "words", "words": words}

    # What they do.

    def _match(self) -> Game:
        if self._state is None:
            raise Refused("no match has begun")
        return self._state

    def _viewer(self, request: Mapping[str, Any]) -> Viewer:
        viewer: Viewer = request["viewer"]
        if viewer not in ("public", "open") and viewer not in range(self._seats):
            raise Refused(f"there is no viewer {_cut(str(viewer))}")
        return viewer

    def _begin(self, request: Mapping[str, Any]) -> Dict[str, Any]:
        seats = request["seats"]
        if seats not in self.game.seats:
            allowed = " or ".join(map(str, self.game.seats))
            raise Refused(f"{self.game.id} is for {allowed} seats, not {seats}")
        options = self.game.complete(request["options"])
        state = self.game()
        # The game may change its own options, and the referee is told those that were given.
        state.start(copy.deepcopy(options), seats)
        self._state, self._seats = state, seats
        self._look()
        return options

    def _look(self) -> None:
        """Finds out what the match waits for."""
        state = self._match()
        self._over, self._chance, self._asks, self._listed = state.over(), None, [], {}
        if self._over is None:
            self._chance = state.chance()
            if self._chance is None:
                self._asks = sorted(set(state.asks()))
                if not self._asks:
                    raise ValueError("the match is not over, and nobody is asked")

    def _actions(self, seat: int) -> List[str]:
        """Returns the legal actions of a seat that is asked, as the protocol wants them."""
        if seat not in self._listed:
            # Code points have the order of their bytes in UTF-8.
            self._listed[seat] = sorted(set(self._match().actions(seat)))
            if not self._listed[seat]:
                raise ValueError(f"seat {seat} is asked and has no actions")
        return self._listed[seat]

    def _refuse_unasked(self, seat: int) -> None:
        self._match()
        if self._over is not None:
            raise Refused("the match is over")
        if self._chance is not None:
            raise Refused("it is chance's turn")
        if seat not in self._asks:
            raise Refused(f"it is not seat {seat}'s turn")

    def _check(self, seat: int, action: str) -> None:
        self._refuse_unasked(seat)
        if self.game.lists and action in self._actions(seat):
            return
        if re.fullmatch(self.game.notation, action) is None:
            why = f"{_cut(action)!r} is not in the notation {self.game.notation}"
            raise Refused(why, malformed=True)
        self._match().check(seat, action)
        if self.game.lists:
            raise Refused(f"{_cut(action)!r} is not among the legal actions")

    def _apply(self, acts: Sequence[Mapping[str, Any]]) -> None:
        for act in acts:
            self._check(act["seat"], act["action"])
        if [act["seat"] for act in acts] != self._asks:
            raise Refused("the choices are not those of the seats that are asked")
        self._match().apply({act["seat"]: act["action"] for act in acts})
        self._look()

    def _apply_chance(self, outcome: Any) -> None:
        state, chance = self._match(), self._chance
        if chance is None:
            raise Refused("the match does not wait for chance")
        if not isinstance(chance, _Sample):
            if _canonical(outcome) not in [_canonical(one) for one, _ in chance]:
                raise Refused("chance cannot have this outcome now")
        state.apply_chance(outcome)
        self._look()

    def _acts_seen(self, acts: Sequence[Mapping[str, Any]]) -> Optional[List[List[int]]]:
        """Returns who learns each act, or None where everything is as the protocol has it by default."""
        state = self._match()
        seen = [state.action_seen_by(act["seat"], act["action"]) for act in acts]
        if all(seats is None for seats in seen):
            return None
        return [
            self._by_default(act["seat"]) if seats is None else sorted(set(seats))
            for act, seats in zip(acts, seen)
        ]

    def _by_default(self, seat: int) -> List[int]:
        return [seat] if self.game.secrets else list(range(self._seats))

    def _chance_seen(self, outcome: Any) -> Optional[List[List[int]]]:
        seats = self._match().chance_seen_by(outcome)
        return None if seats is None else [sorted(set(seats))]

    def _tell(self, seen: Optional[List[List[int]]]) -> Dict[str, Any]:
        """Returns the message `state`."""
        state = self._match()
        message: Dict[str, Any] = {"type": "state"}
        if self._over is not None:
            points, reason = self._over
            if self.game.reasons and reason not in self.game.reasons:
                raise ValueError(f"the match ended for {reason!r}, which is not in `reasons`")
            message["over"] = {"points": list(points), "reason": reason, "view": state.view("open")}
        elif self._chance is None:
            message["asks"] = [self._tell_asked(state, seat) for seat in self._asks]
        elif isinstance(self._chance, _Sample):
            message["chance"] = {}
        else:
            if any(outcome is None for outcome, _ in self._chance):
                raise ValueError("null is no outcome: it stands for a hidden one")
            outcomes = [{"outcome": outcome, "weight": weight} for outcome, weight in self._chance]
            message["chance"] = {"outcomes": outcomes}
        if seen is not None:
            message["seen"] = seen
        return message

    def _tell_asked(self, state: Game, seat: int) -> Dict[str, Any]:
        asked: Dict[str, Any] = {"seat": seat}
        if self.game.lists:
            asked["actions"] = self._actions(seat)
        asked["view"] = state.view(seat)
        return asked

    def _tell_sides(self) -> Dict[str, Any]:
        sides = self._match().sides()
        return {} if sides is None else {"sides": list(sides)}


def _path(path: ActionPath) -> Dict[str, Any]:
    if isinstance(path, tuple):
        marks, choice = path
        return {"marks": list(marks), "choice": choice}
    return {"marks": list(path)}


_REQUESTS: Dict[str, Callable[[Table, Mapping[str, Any]], Dict[str, Any]]] = {
    "describe": Table._describe,
    "setup": Table._setup,
    "acts": Table._acts,
    "chance": Table._outcome,
    "sample": Table._sample,
    "choose": Table._choose,
    "check": Table._legal,
    "view": Table._view,
    "draw": Table._draw,
    "paths": Table._paths,
    "words": Table._words,
    "replay": Table._replay,
    "redeal": Table._redeal,
}


def serve(game: Type[Game]) -> None:
    """Serves a game until the referee ends the input."""
    table = Table(game)
    # `print` uses sys.stdout; child processes and C code use file descriptor 1. Children do not get
    # the copy.
    output = open(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    try:
        sys.stdout.flush()  # What was printed before goes to standard error, too.
    except (AttributeError, ValueError):
        pass  # The game has closed or replaced it.
    sys.stdout = sys.stderr
    try:
        with output:
            _converse(sys.stdin.buffer, output, table)
    except BrokenPipeError:
        pass  # The referee no longer listens, so there is nobody left to answer.


def _converse(lines: Iterable[bytes], output: BinaryIO, table: Table) -> None:
    for line in lines:
        _send(output, table.answer(json.loads(line)))


def _send(output: BinaryIO, message: Dict[str, Any]) -> None:
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"
    except (TypeError, ValueError) as error:
        # Without this, nobody learns which method of the game has returned it.
        raise TypeError(f"{_unfit(message)} of the message {message['type']}: {error}") from None
    # Half of a surrogate pair cannot be written as UTF-8.
    rest = text.encode("utf-8", "replace")
    while rest:
        rest = rest[output.write(rest) or 0 :]


def _unfit(value: Any, path: str = "") -> str:
    """Returns the path to the first part of a value that cannot be written as JSON."""
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = ((part, f"{path}.{name}" if path else str(name)) for name, part in value.items())
    elif isinstance(value, (list, tuple)):
        parts = ((part, f"{path}[{place}]") for place, part in enumerate(value))
    for part, its_path in parts:
        try:
            json.dumps(part, allow_nan=False)
        except (TypeError, ValueError):
            return _unfit(part, its_path)
    return path


def _rules(game: Type[Game]) -> str:
    if not game.rules_file:
        return ""
    folder = os.path.dirname(os.path.abspath(inspect.getfile(game)))
    with open(os.path.join(folder, game.rules_file), encoding="utf-8") as file:
        return file.read()


def _random(digits: str) -> random.Random:
    if re.fullmatch("[0-9a-fA-F]{64}", digits) is None:
        raise Refused("random bytes are 64 hexadecimal digits")
    # A seed that is a number means the same in all versions of Python.
    return random.Random(int(digits, 16))


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…"
