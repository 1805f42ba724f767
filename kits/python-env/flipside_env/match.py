"""One match at one table, as agents see it: observations, action masks, rewards, and actions that are not legal."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np
from gymnasium import spaces

from flipside_env.client import SEEDS, Client, FlipsideError, Over
from flipside_env.spaces import View, ViewSpace

#: The greatest number of legal actions at once in a game that does not list all its actions.
MAX_ACTIONS = 4096

#: ``{"observation": array or View, "action_mask": array}``
Observation = Dict[str, Any]

_TABLE = 0


class IllegalAction(FlipsideError):
    """An action that is not legal now, in an environment with ``illegal="raise"``. The text says why."""


def rewards(places: Sequence[int], sides: Optional[Sequence[int]] = None) -> List[float]:
    """Returns the rewards of a match by seat, from the places, where 1 is the best and equal is a tie.

    A reward is the mean over the seats of other sides: +1 for each that is behind, 0 for a tie, −1 for each that is
    ahead. So with two seats, a win is 1.0, a draw 0.0 and a loss −1.0, and the rewards of two equal sides add up to 0.
    Without ``sides``, each seat is a side of its own.
    """
    sides = range(len(places)) if sides is None else sides
    result = []
    for place, side in zip(places, sides):
        others = [other for other, theirs in zip(places, sides) if theirs != side]
        compared = [(other > place) - (other < place) for other in others]
        result.append(sum(compared) / len(compared) if compared else 0.0)
    return result


class Match:
    """A process with one table, for the environments of this package.

    ``illegal`` says what an action that is not legal does:

    - ``"lose"``: the match ends. The seat and its partners share the last place, and all others the first,
    - ``"random"``: a legal action that follows from the seed stands in, as for a disqualified bot in a tournament,
    - ``"raise"``: :class:`IllegalAction`, and nothing happens.

    In games that do not list all their actions (``Game.all_actions``), an action is the position in the list of the
    actions that are legal now, in byte order, and there may be at most ``max_actions`` of them.
    """

    def __init__(
        self,
        game: str,
        *,
        options: Optional[Dict[str, Any]] = None,
        seats: Optional[int] = None,
        illegal: str = "lose",
        max_actions: int = MAX_ACTIONS,
        flipside: Optional[str] = None,
        arena: Optional[str] = None,
        trust: bool = False,
    ) -> None:
        if illegal not in ("lose", "random", "raise"):
            raise ValueError(f"illegal is 'lose', 'random' or 'raise', not {illegal!r}")
        self.client = Client(game, flipside=flipside, arena=arena, trust=trust)
        self.game = self.client.game
        self.seats = self.game.seats[0] if seats is None else seats
        self.illegal = illegal
        self._options = options
        self._next_seed: Optional[np.random.Generator] = None
        self._stand_in = np.random.default_rng(0)
        #: What a step of the process shall have.
        self._want = ["views" if self.game.shape is None else "observations"]
        if self.game.all_actions is None:
            self._want.append("actions")
            self.actions = max_actions
        else:
            self._want.append("indices")
            self.actions = len(self.game.all_actions)

    def observation_space(self, actions: Optional[int] = None) -> spaces.Dict:
        """Returns a new space of observations, with a mask of so many actions."""
        view: spaces.Space[Any]
        if self.game.shape is None:
            view = ViewSpace(self.game.view)
        else:
            view = spaces.Box(0, 255, self.game.shape, np.uint8)
        count = self.actions if actions is None else actions
        return spaces.Dict({"observation": view, "action_mask": spaces.Box(0, 1, (count,), np.int8)})

    def begin(self, seed: Optional[int] = None) -> None:
        """Begins a match. The same seed gives the same match; without one, it follows from the seed before."""
        if seed is not None:
            if not 0 <= seed < SEEDS:
                raise ValueError(f"a seed is a whole number from 0 to {SEEDS - 1}, not {seed}")
            self._next_seed = np.random.default_rng(seed)
        elif self._next_seed is None:
            self._next_seed = np.random.default_rng()
        self.seed = int(self._next_seed.integers(SEEDS)) if seed is None else int(seed)
        self._stand_in = np.random.default_rng(self.seed)
        #: The seat whose illegal action has ended the match.
        self.lost: Optional[int] = None
        #: By seat, why its last action was illegal.
        self._why: Dict[int, str] = {}
        fields: Dict[str, Any] = {"options": self._options, "seats": self.seats, "want": self._want}
        (self._state,) = self.client.reset([_TABLE], [self.seed], **fields)

    @property
    def asked(self) -> Sequence[int]:
        """The seats that are asked, ascending; empty when the match is over."""
        return () if self.lost is not None else self._state.asked

    @property
    def over(self) -> Optional[Over]:
        """How the match ended, also by an illegal action; None while it runs."""
        if self.lost is None:
            return self._state.over
        sides = self._state.sides
        places = [2 if side == sides[self.lost] else 1 for side in sides]
        return Over([0] * self.seats, places, "illegal")

    def rewards(self) -> List[float]:
        """Returns the rewards by seat: all 0 while the match runs."""
        over = self.over
        return [0.0] * self.seats if over is None else rewards(over.places, self._state.sides)

    def legal(self, seat: int) -> List[int]:
        """Returns the legal actions of a seat; empty if it is not asked."""
        if seat not in self.asked:
            return []
        at, state = self._state.asked.index(seat), self._state
        if state.indices is not None:
            return state.indices[at]
        if state.actions is None:
            raise FlipsideError(
                f"{self.game.id} does not list its legal actions, so it has no masks; play it with Client"
            )
        count = len(state.actions[at])
        if count > self.actions:
            raise FlipsideError(f"there are {count} legal actions; set max_actions above {self.actions}")
        return list(range(count))

    def observe(self, seat: int, actions: Optional[int] = None) -> Observation:
        """Returns what a seat sees, and the mask of its legal actions, which is all 0 if it is not asked."""
        mask = np.zeros(self.actions if actions is None else actions, np.int8)
        mask[self.legal(seat)] = 1
        return {"observation": self._seen(seat), "action_mask": mask}

    def text(self, seat: int, action: int) -> str:
        """Returns a legal action of a seat in the game's notation."""
        if self.game.all_actions is not None:
            return self.game.all_actions[action]
        assert self._state.actions is not None, "its actions are listed, or `legal` has refused"
        return self._state.actions[self._state.asked.index(seat)][action]

    def play(self, choices: Dict[int, int]) -> None:
        """Plays the choices of all seats that are asked.

        Raises :class:`IllegalAction` with ``illegal="raise"``.
        """
        self.forgive()
        acts = []
        for seat in self.asked:
            action = int(choices[seat])
            played = action if action in self.legal(seat) else self.stand_in(seat, action)
            if played is None:
                return
            acts.append(self.text(seat, played))
        self.play_texts(acts)

    def stand_in(self, seat: int, action: int) -> Optional[int]:
        """Does what ``illegal`` says, as this action of a seat is not legal.

        Returns the action that stands in; None if the match is over by this. Raises :class:`IllegalAction`.
        """
        why = self._why_not(seat, action)
        if self.illegal == "raise":
            raise IllegalAction(why)
        self._why[seat] = why
        if self.illegal == "lose":
            self.lost = seat
            return None
        legal = self.legal(seat)
        return legal[self._stand_in.integers(len(legal))]

    def forgive(self) -> None:
        """Forgets why earlier actions were illegal."""
        self._why = {}

    def play_texts(self, acts: Sequence[str]) -> None:
        """Plays the choices of all seats that are asked, by ascending seat, in the game's notation.

        Raises :class:`flipside_env.Refused` if one is not legal; then nothing happens.
        """
        self._state = self.client.act(_TABLE, *acts, want=self._want)

    def view(self, viewer: Any) -> Any:
        """Returns what a seat, ``"public"`` or ``"open"`` sees."""
        return self.client.view(_TABLE, viewer)

    def actions_of(self, seat: int) -> List[str]:
        """Returns the legal actions of a seat that is asked, in the game's notation."""
        return [self.text(seat, action) for action in self.legal(seat)]

    def events(self) -> List[Dict[str, Any]]:
        """Returns all that has happened in the match."""
        return self.client.history(_TABLE).events

    def render(self, mode: Optional[str]) -> Optional[str]:
        """Returns what spectators see as text (``"ansi"``) or SVG (``"svg"``), or prints the text (``"human"``)."""
        if mode not in ("ansi", "svg", "human"):
            raise ValueError(f"the environment has no render_mode {mode!r}; make it with 'ansi', 'svg' or 'human'")
        drawing = self.client.draw(_TABLE, svg=mode == "svg")
        if mode != "human":
            return drawing
        print(drawing)
        return None

    def info(self, seat: int) -> Dict[str, Any]:
        """Returns what a seat is told beside observations: why its last action was illegal, if it was, and at the end
        points, places and the reason."""
        info: Dict[str, Any] = {"illegal": self._why[seat]} if seat in self._why else {}
        over = self.over
        if over is not None:
            info.update(points=list(over.points), places=list(over.places), reason=over.reason)
        return info

    def close(self) -> None:
        """Ends the process."""
        self.client.close()

    def _seen(self, seat: int) -> Any:
        state = self._state
        if self.game.shape is not None:
            if state.observations is not None and seat in state.asked:
                return state.observations[state.asked.index(seat)].copy()
            return self.client.observation(_TABLE, seat)
        if state.views is not None and seat in state.asked:
            at = state.asked.index(seat)
            # Whoever gets a view may change it, so nobody gets the same one again.
            view, state.views[at] = state.views[at], None
            if view is not None:
                return View(view)
        return View(self.client.view(_TABLE, seat))

    def _why_not(self, seat: int, action: int) -> str:
        """Asks the process why an action is not legal."""
        if self.game.all_actions is None:
            return f"there is no action {action}: {len(self.legal(seat))} are legal"
        if not 0 <= action < self.actions:
            return f"there is no action {action}: the game has {self.actions}"
        text = self.game.all_actions[action]
        acts = [text if other == seat else self.text(other, self.legal(other)[0]) for other in self.asked]
        (state,) = self.client.step([{"table": _TABLE, "acts": acts}], want=[])
        assert state.refused is not None, "the action is not in the list of the legal ones"
        return f"{text}: {state.refused}"

