"""Gymnasium's VectorEnv: many tables at once, as arrays."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from flipside_env.client import SEEDS, Arrays, Client, FlipsideError

_Observations = Dict[str, npt.NDArray[Any]]
_Array = npt.NDArray[Any]


class FlipsideVector(VectorEnv[_Observations, _Array, _Array]):
    """Many tables of a game in turns, whose observations are arrays, for self-play.

    At each table, the agent is the seat that is asked. ``infos["seat"]`` names it, 255 where the match is over. The
    observation is that of this seat, and the reward of a step is that of the seat that has acted. It is 0 until the
    match ends; then ``infos["rewards"]`` has those of all seats, as :func:`flipside_env.rewards` gives them for points.

    Where a match is over, the next step begins a new one, whatever its action is (``AutoresetMode.NEXT_STEP``). An
    action that is not legal raises :class:`flipside_env.FlipsideError` with the table, and nothing is played.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        options: Optional[Dict[str, Any]] = None,
        seats: Optional[int] = None,
        flipside: Optional[str] = None,
        arena: Optional[str] = None,
        trust: bool = False,
    ) -> None:
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.client = Client(game, flipside=flipside, arena=arena, trust=trust)
        self.game = self.client.game
        if self.game.all_actions is None or self.game.shape is None:
            self.client.close()
            raise FlipsideError(f"{game} has no observations as arrays; use several tables of Client instead")
        self.num_envs = num_envs
        self._options, self._seats = options, seats
        count = len(self.game.all_actions)
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, self.game.shape, np.uint8),
                "action_mask": spaces.Box(0, 1, (count,), np.int8),
            }
        )
        self.single_action_space = spaces.Discrete(count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._asked: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[_Observations, Dict[str, Any]]:
        """Begins a match at every table. The same seed gives the same matches."""
        super().reset(seed=seed)
        first = int(self.np_random.integers(SEEDS))
        arrays = self.client.batch(self.num_envs, first, options=self._options, seats=self._seats)
        self._asked = arrays.asked
        return _observations(arrays), {"seat": arrays.asked.copy()}

    def step(self, actions: _Array) -> Tuple[_Observations, _Array, _Array, _Array, Dict[str, Any]]:
        """Plays an action at each table."""
        over = self._asked == OVER
        arrays = self.client.play(np.where(over, -1, actions).tolist())
        actors = np.where(over, 0, self._asked)
        ended = arrays.asked == OVER
        points = arrays.points
        by_seat = np.zeros(points.shape)
        if ended.any():
            # Each seat is a side of its own in these games: compare it with all others.
            final = points[ended].astype(np.int64)
            by_seat[ended] = np.sign(final[:, :, None] - final[:, None, :]).sum(2) / max(1, points.shape[1] - 1)
        rewards = by_seat[np.arange(self.num_envs), actors]
        self._asked = arrays.asked
        infos = {"seat": arrays.asked.copy(), "rewards": by_seat}
        return _observations(arrays), rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the process."""
        self.client.close()


#: The seat that is asked where a match is over.
OVER = 255


def _observations(arrays: Arrays) -> _Observations:
    return {"observation": arrays.observations, "action_mask": arrays.legal}
