"""The games of Flipside as environments for learning.

Each environment starts the process ``flipside env GAME`` and ends it with :meth:`close`:

- :class:`FlipsideAEC`, a PettingZoo ``AECEnv``: one seat after the other,
- :class:`FlipsideParallel`, a PettingZoo ``ParallelEnv``: all seats at once,
- :class:`FlipsideGym`, a Gymnasium ``Env``: one seat against bots,
- :class:`FlipsideVector`, a Gymnasium ``VectorEnv``: many tables as arrays, for board games,
- :class:`Client`: the process itself, with clones, redeals and histories, for searches.

The guide is ``docs/authors/learning.md`` of Flipside.
"""

import gymnasium

from flipside_env.aec import FlipsideAEC
from flipside_env.bots import Bot, BotError, Turn
from flipside_env.client import Client, FlipsideError, Game, Over, Refused, State
from flipside_env.gym import FlipsideGym
from flipside_env.match import IllegalAction, Match, rewards
from flipside_env.parallel import FlipsideParallel
from flipside_env.spaces import View, ViewSpace
from flipside_env.vector import FlipsideVector

__all__ = [
    "Bot",
    "BotError",
    "Client",
    "FlipsideAEC",
    "FlipsideError",
    "FlipsideGym",
    "FlipsideParallel",
    "FlipsideVector",
    "Game",
    "IllegalAction",
    "Match",
    "Over",
    "Refused",
    "State",
    "Turn",
    "View",
    "ViewSpace",
    "rewards",
]

# For gymnasium.make("flipside_env:Flipside-v0", game="flipfour").
gymnasium.register(id="Flipside-v0", entry_point="flipside_env.gym:FlipsideGym")
