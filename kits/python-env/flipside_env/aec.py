"""PettingZoo's AECEnv: the seats that are asked act one after the other."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from gymnasium import spaces
from pettingzoo import AECEnv

from flipside_env.match import MAX_ACTIONS, Match, Observation


class FlipsideAEC(AECEnv[str, Observation, Optional[int]]):
    """A game for the agents ``seat_0``, ``seat_1`` and so on.

    Where several seats choose at once, they are asked one after the other, by ascending seat; none sees what the others
    have chosen, and the match goes on when all have.

    ``options`` and ``seats`` are those of every match. ``illegal`` and ``max_actions`` are explained at
    :class:`flipside_env.Match`, rewards at :func:`flipside_env.rewards`. With ``max_cycles``, the match is truncated
    before a seat would act more often. ``render_mode`` is ``"ansi"``, ``"svg"`` or ``"human"``. The ``options`` of
    :meth:`reset` have no effect.
    """

    def __init__(
        self,
        game: str,
        *,
        options: Optional[Dict[str, Any]] = None,
        seats: Optional[int] = None,
        illegal: str = "lose",
        max_actions: int = MAX_ACTIONS,
        max_cycles: Optional[int] = None,
        render_mode: Optional[str] = None,
        flipside: Optional[str] = None,
        arena: Optional[str] = None,
        trust: bool = False,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
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
        self.metadata = {
            "name": self.match.game.id,
            "render_modes": ["human", "ansi", "svg"],
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.possible_agents = [f"seat_{seat}" for seat in range(self.match.seats)]
        self.observation_spaces: Dict[str, spaces.Space[Any]] = {
            agent: self.match.observation_space() for agent in self.possible_agents
        }
        self.action_spaces: Dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(self.match.actions) for agent in self.possible_agents
        }
        self.agents: List[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        """Begins a match. The same seed gives the same match; without one, it follows from the seed before."""
        self.match.begin(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: Dict[str, Dict[str, Any]] = {agent: {} for agent in self.agents}
        self._acted = dict.fromkeys(self.agents, 0)
        # What a match that was left before its end has left behind.
        self.__dict__.pop("_skip_agent_selection", None)
        #: What seats have chosen while others are still asked.
        self._choices: Dict[int, int] = {}
        self._select()

    def step(self, action: Optional[int]) -> None:
        """Plays an action of the agent in ``agent_selection``; None if it is terminated or truncated.

        Raises :class:`flipside_env.IllegalAction` with ``illegal="raise"``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is asked for an action, and None is not one")
        seat = self._seat(agent)
        if self.match.illegal == "raise" and int(action) not in self.match.legal(seat):
            # At once, so that what other seats have chosen is kept, and the seat can be asked again.
            self.match.stand_in(seat, int(action))
        self._choices[seat] = int(action)
        if len(self._choices) == len(self.match.asked):
            choices, self._choices = self._choices, {}
            self.match.play(choices)
        self._cumulative_rewards[agent] = 0.0
        self._acted[agent] += 1
        by_seat = self.match.rewards()
        self.rewards = {agent: by_seat[self._seat(agent)] for agent in self.agents}
        self.infos = {agent: self.match.info(self._seat(agent)) for agent in self.agents}
        self._accumulate_rewards()
        self._select()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Returns what an agent sees now. Its mask is all 0 if it is not asked."""
        return self.match.observe(self._seat(agent))

    def render(self) -> Any:
        return self.match.render(self.render_mode)

    def close(self) -> None:
        """Ends the process."""
        self.match.close()

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _select(self) -> None:
        """Selects the agent that acts next, or ends the match."""
        if self.match.over is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        seat = next(seat for seat in self.match.asked if seat not in self._choices)
        self.agent_selection = self.possible_agents[seat]
        if self.max_cycles is not None and self._acted[self.agent_selection] >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
