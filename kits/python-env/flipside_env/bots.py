"""Bots as opponents: processes that speak the protocol of bots, with this package as their referee."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from flipside_env.client import FlipsideError
from flipside_env.process import Process, ProcessFailed, flipside_program, line_of

#: The version of the protocol of bots.
PROTOCOL = 1

#: What ``hello`` says about the clock. A bot is not stopped when it takes longer, but see ``patience``.
CLOCK = "move=1s"
CLOCK_MS = 1000

#: What ``hello`` says about limits: bytes.
LIMITS = {"line": 65536, "memory": 268435456}


class BotError(FlipsideError):
    """A bot did not start, did not answer, or answered against the protocol or the rules."""


@dataclass(frozen=True)
class Turn:
    """A question to an opponent that is a function."""

    seat: int
    #: What the seat sees.
    view: Any
    #: The legal actions in byte order.
    actions: List[str]


#: ``sample:NAME``, a command as one text or as a tuple of words, or a function from a turn to an action.
Bot = Union[str, Tuple[str, ...], Callable[[Turn], str]]


class Opponent:
    """A bot at a seat. Its process is reused for the next match if it allows that."""

    def __init__(self, bot: Bot, *, flipside: Optional[str] = None, patience: float = 60.0) -> None:
        self._function: Optional[Callable[[Turn], str]] = None
        self._command: List[str] = []
        self._patience = patience
        self._process: Optional[Process] = None
        self._wants_events = False
        self._is_playing = False
        if callable(bot):
            self._function = bot
        elif isinstance(bot, str) and bot.startswith("sample:"):
            try:
                program = flipside_program(flipside)
            except ProcessFailed as error:
                raise BotError(str(error)) from None
            self._command = [program, "sample", bot[len("sample:") :]]
        else:
            self._command = shlex.split(bot) if isinstance(bot, str) else list(bot)

    def begin(self, *, game: str, options: Dict[str, Any], seat: int, seats: int, seed: int) -> None:
        """Tells the bot that a match begins, and waits until it is ready."""
        if self._function is not None:
            return
        if self._is_playing:
            # The match before was left: its process is in the middle of it.
            self.close()
        self._is_playing = True
        self._seat, self._seats, self._questions, self._seen = seat, seats, 0, 0
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "match": f"env-{seed}",
            "game": game.partition("@")[0],
            "options": options,
            "seat": seat,
            "seats": seats,
            "clock": CLOCK,
            "limits": LIMITS,
            # There is no seed to prove: who runs this environment chooses it.
            "commitment": "0" * 64,
            "seed": seed,
        }
        try:
            if self._process is None:
                self._process = Process(self._command)
            ready = self._ask(hello)
        except ProcessFailed as error:
            self.close()
            raise BotError(str(error)) from None
        if ready.get("type") != "ready":
            raise self._broke(f"answered hello by {ready}")
        self._reuse, self._wants_events = bool(ready.get("reuse")), bool(ready.get("events"))

    @property
    def wants_events(self) -> bool:
        """Whether the bot asks to be told what has happened."""
        return self._wants_events

    def choose(self, turn: Turn, events: Optional[List[Dict[str, Any]]] = None) -> str:
        """Asks the bot for an action. ``events`` are all of the match, as far as the seat may know."""
        if self._function is not None:
            return self._function(turn)
        self._questions += 1
        question: Dict[str, Any] = {"type": "turn", "id": self._questions, "actions": turn.actions}
        question["clocks"] = [CLOCK_MS] * self._seats
        if self._questions > 1:
            question["charged"] = self._charged
        question["view"] = turn.view
        if self._wants_events and events is not None:
            question["events"] = events[self._seen :]
            self._seen = len(events)
        asked = time.monotonic()
        try:
            answer = self._ask(question)
        except ProcessFailed as error:
            self.close()
            raise BotError(str(error)) from None
        self._charged = round((time.monotonic() - asked) * 1000)
        if answer.get("type") != "act" or answer.get("id") != self._questions:
            raise self._broke(f"answered question {self._questions} by {answer}")
        action = answer.get("action")
        if action not in turn.actions:
            raise self._broke(f"chose {action!r}, which is not legal")
        return str(action)

    def end(self, *, points: List[int], places: List[int], reason: str, view: Any) -> None:
        """Tells the bot that the match is over."""
        self._is_playing = False
        if self._process is None:
            return
        if not self._reuse:
            self.close()
            return
        over = {"type": "over", "points": points, "places": places, "reason": reason, "view": view}
        try:
            self._process.send(line_of(over))
        except ProcessFailed:
            # It may exit when the match is over.
            self.close()

    def close(self) -> None:
        """Ends the process of the bot."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, message: Dict[str, Any]) -> Dict[str, Any]:
        assert self._process is not None, "a match has begun"
        self._process.send(line_of(message))
        answer = self._process.receive(self._patience)
        return answer if isinstance(answer, dict) else {}

    def _broke(self, what: str) -> BotError:
        name = " ".join(self._command)
        self.close()
        return BotError(f"the bot {name} {what}")
