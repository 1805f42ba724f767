"""Gymnasium's Env: one seat against bots."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import gymnasium
from gymnasium import spaces

from flipside_env.bots import Bot, Opponent, Turn
from flipside_env.client import SEEDS
from flipside_env.match import MAX_ACTIONS, Match, Observation


class FlipsideGym(gymnasium.Env[Observation, Any]):
    """A game for one agent against bots.

    ``opponents`` is a bot for all other seats, or a list of bots by ascending seat. A bot is ``sample:NAME`` of
    Flipside, the command of a program that speaks the protocol of bots, as one text or as a tuple of words, or a
    function from a :class:`flipside_env.Turn` to an action. The programs run without isolation, so name only those that
    you trust. One that does not answer within ``patience`` seconds, or breaks the protocol or the rules, raises
    :class:`flipside_env.BotError`.

    ``seat`` is that of the agent; None changes it from match to match, by the seed, and ``info["seat"]`` names it.
    Bots that ask for events are told all of them in games without secrets, and in other games only their own acts. The
    other arguments are those of :class:`flipside_env.FlipsideAEC`; the reward is 0 until the match ends.
    """

    metadata: Dict[str, Any] = {"render_modes": ["human", "ansi", "svg"], "render_fps": 2}

    def __init__(
        self,
        game: str,
        opponents: Union[Bot, List[Bot]] = "sample:random",
        *,
        seat: Optional[int] = 0,
        options: Optional[Dict[str, Any]] = None,
        seats: Optional[int] = None,
        illegal: str = "lose",
        max_actions: int = MAX_ACTIONS,
        patience: float = 60.0,
        render_mode: Optional[str] = None,
        flipside: Optional[str] = None,
        arena: Optional[str] = None,
        trust: bool = False,
    ) -> None:
        self.render_mode = render_mode
        self.match = Match(
            game,
            options=options,
            seats=seats,
            illegal=illegal,
            max_actions=max_actions,
            flipside=flipside,
            arena=arena,
            trust=trust,
        )
        count = self.match.seats - 1
        bots = list(opponents) if isinstance(opponents, list) else [opponents]
        if len(bots) == 1:
            bots *= count
        if len(bots) != count:
            self.match.close()
            raise ValueError(f"{len(bots)} opponents for {count} other seats; name one, or one for each seat")
        if seat is not None and not 0 <= seat < self.match.seats:
            self.match.close()
            raise ValueError(f"there is no seat {seat}: the match has {self.match.seats}")
        self._opponents = [Opponent(bot, flipside=flipside, patience=patience) for bot in bots]
        self._fixed_seat = seat
        self.seat = 0 if seat is None else seat
        self.observation_space = self.match.observation_space()
        self.action_space = spaces.Discrete(self.match.actions)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Observation, Dict[str, Any]]:
        """Begins a match. The same seed gives the same match against bots that use only the seed that they get."""
        super().reset(seed=seed)
        self.match.begin(int(self.np_random.integers(SEEDS)))
        self.seat = int(self.np_random.integers(self.match.seats)) if self._fixed_seat is None else self._fixed_seat
        self._ended = False
        others = [seat for seat in range(self.match.seats) if seat != self.seat]
        self._at = dict(zip(others, self._opponents))
        #: What has happened, as bots that are told nothing hidden may know it, in a game with secrets.
        self._acts: List[Dict[int, str]] = []
        full_options = self.match.client.history(0).options
        for seat, bot in self._at.items():
            bot.begin(
                game=self.match.game.id,
                options=full_options,
                seat=seat,
                seats=self.match.seats,
                seed=int(self.np_random.integers(SEEDS)),
            )
        self._advance()
        return self._observe(), self._info()

    def step(self, action: int) -> Tuple[Observation, float, bool, bool, Dict[str, Any]]:
        """Plays an action of the agent, and then the bots until the agent is asked again or the match is over.

        Raises :class:`flipside_env.IllegalAction` with ``illegal="raise"``.
        """
        if self.match.over is not None:
            raise ValueError("the match is over; begin another one with reset()")
        self._play(int(action))
        self._advance()
        reward = self.match.rewards()[self.seat]
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, self.match.over is not None, False, self._info()

    def render(self) -> Any:
        return self.match.render(self.render_mode)

    def close(self) -> None:
        """Ends the process and the bots."""
        self.match.close()
        for bot in self._opponents:
            bot.close()

    def _advance(self) -> None:
        """Lets the bots play until the agent is asked or the match is over."""
        while self.match.over is None and self.seat not in self.match.asked:
            self._play(None)
        over = self.match.over
        if over is not None and not self._ended:
            self._ended = True
            view = self.match.view("open")
            for bot in self._at.values():
                bot.end(points=list(over.points), places=list(over.places), reason=over.reason, view=view)

    def _play(self, action: Optional[int]) -> None:
        """Plays one event: the action of the agent, if it is asked, and those of the bots."""
        asked = self.match.asked
        if self.seat in asked:
            self.match.forgive()
            assert action is not None, "the agent is asked"
            if action not in self.match.legal(self.seat):
                action = self.match.stand_in(self.seat, action)
                if action is None:
                    return
        acts = {seat: self._choice(seat, action) for seat in asked}
        self._acts.append(acts)
        self.match.play_texts([acts[seat] for seat in asked])

    def _choice(self, seat: int, action: Optional[int]) -> str:
        if seat == self.seat:
            assert action is not None, "the agent is asked"
            return self.match.text(seat, action)
        bot = self._at[seat]
        turn = Turn(seat, self.match.view(seat), self.match.actions_of(seat))
        return bot.choose(turn, self._events(seat) if bot.wants_events else None)

    def _events(self, seat: int) -> List[Dict[str, Any]]:
        if not self.match.game.secrets:
            return self.match.events()
        shown = []
        for acts in self._acts:
            seen = [{"seat": other, "action": act} if other == seat else {"seat": other} for other, act in acts.items()]
            shown.append({"acts": seen})
        return shown

    def _observe(self) -> Observation:
        return self.match.observe(self.seat)

    def _info(self) -> Dict[str, Any]:
        return {"seat": self.seat, **self.match.info(self.seat)}
