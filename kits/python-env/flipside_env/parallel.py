"""PettingZoo's ParallelEnv: every seat has an action in every step."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from gymnasium import spaces
from pettingzoo import ParallelEnv

from flipside_env.match import MAX_ACTIONS, Match, Observation


class FlipsideParallel(ParallelEnv[str, Observation, int]):
    """A game for the agents ``seat_0``, ``seat_1`` and so on, which all act in each step.

    Beside the actions of the game, there is a last one, to wait (``WAIT``). The mask of a seat that is not asked has
    only that one, and what such a seat does has no effect. So games in turns can be played like this, too.

    The arguments are those of :class:`flipside_env.FlipsideAEC`. With ``max_cycles``, the match is truncated after so
    many steps.
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
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        #: The action of a seat that is not asked.
        self.WAIT = self.match.actions
        self.possible_agents = [f"seat_{seat}" for seat in range(self.match.seats)]
        count = self.match.actions + 1
        self.observation_spaces: Dict[str, spaces.Space[Any]] = {
            agent: self.match.observation_space(count) for agent in self.possible_agents
        }
        self.action_spaces: Dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(count) for agent in self.possible_agents
        }
        self.agents: List[str] = []
        self._steps = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, Observation], Dict[str, Dict[str, Any]]]:
        """Begins a match. The same seed gives the same match; without one, it follows from the seed before."""
        self.match.begin(seed)
        self.agents = self.possible_agents[:]
        self._steps = 0
        return self._observations(), self._infos()

    def step(
        self, actions: Dict[str, int]
    ) -> Tuple[
        Dict[str, Observation],
        Dict[str, float],
        Dict[str, bool],
        Dict[str, bool],
        Dict[str, Dict[str, Any]],
    ]:
        """Plays the actions of the seats that are asked.

        Raises :class:`flipside_env.IllegalAction` with ``illegal="raise"``.
        """
        agents = self.agents
        self.match.play({seat: actions[self.possible_agents[seat]] for seat in self.match.asked})
        self._steps += 1
        ended = self.match.over is not None
        truncated = not ended and self.max_cycles is not None and self._steps >= self.max_cycles
        by_seat = self.match.rewards()
        result = (
            self._observations(),
            {agent: by_seat[self.possible_agents.index(agent)] for agent in agents},
            dict.fromkeys(agents, ended),
            dict.fromkeys(agents, truncated),
            self._infos(),
        )
        if ended or truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return result

    def render(self) -> Any:
        return self.match.render(self.render_mode)

    def close(self) -> None:
        """Ends the process."""
        self.match.close()

    def _observations(self) -> Dict[str, Observation]:
        observations = {}
        for seat, agent in enumerate(self.possible_agents):
            observation = self.match.observe(seat, self.match.actions + 1)
            if seat not in self.match.asked:
                observation["action_mask"][self.WAIT] = 1
            observations[agent] = observation
        return observations

    def _infos(self) -> Dict[str, Dict[str, Any]]:
        return {agent: self.match.info(seat) for seat, agent in enumerate(self.possible_agents)}
