"""Measures steps a second with random actions: Flipside's environments, PettingZoo's connect four and OpenSpiel's.

What is not installed is left out. FLIPSIDE names the command. usage: environments.py SECONDS
"""

import os
import random
import sys
import time

import numpy as np

from flipside_env import FlipsideAEC, FlipsideVector

GAMES = ("flipflop-3x3", "flipfour", "yonmoque", "flip4")
#: As in the measurements of the others: many steps between two looks at the clock.
STEPS = 256


def agents(make):
    """Plays at a PettingZoo AECEnv, and yields how many steps it has made."""
    env, drawn, steps = make(), random.Random(0), 0
    while True:
        env.reset(seed=drawn.randrange(2**32))
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(drawn.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
            if steps == STEPS:
                yield steps
                steps = 0


def batch(game, tables):
    """Plays at many tables at once."""
    envs, drawn = FlipsideVector(game, tables), np.random.default_rng(0)
    observations, infos = envs.reset(seed=1)
    while True:
        mask = observations["action_mask"]
        # Of a flat array of truth values, numpy finds the places several times as fast.
        rows, actions = np.divmod(np.flatnonzero(mask.view(np.bool_)), mask.shape[1])
        counts = np.bincount(rows, minlength=tables)
        # A table whose match is over has no legal action, and takes any.
        at = np.minimum(np.cumsum(counts) - counts + (drawn.random(tables) * counts).astype(np.int64), len(actions) - 1)
        observations, _, _, _, infos = envs.step(actions[at])
        yield int((counts > 0).sum())


def spiel_states(observe):
    """Plays at OpenSpiel's states, with or without the observation as a list."""
    import pyspiel

    game, drawn = pyspiel.load_game("connect_four"), random.Random(0)
    while True:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if observe:
                state.observation_tensor(state.current_player())
            state.apply_action(drawn.choice(state.legal_actions()))
            steps += 1
        yield steps


def spiel_environment():
    """Plays at OpenSpiel's environment for learning."""
    from open_spiel.python import rl_environment

    env, drawn = rl_environment.Environment("connect_four"), random.Random(0)
    while True:
        step, steps = env.reset(), 0
        while not step.last():
            player = step.observations["current_player"]
            step = env.step([drawn.choice(step.observations["legal_actions"][player])])
            steps += 1
        yield steps


def connect_four():
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    from pettingzoo.classic import connect_four_v3

    yield from agents(connect_four_v3.env)


def measure(name, steps, seconds):
    try:
        next(steps)
    except ImportError as error:
        print(f"{name:<56} not installed: {error}", flush=True)
        return
    began, count = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        count += next(steps)
    print(f"{name:<56} {count / (time.perf_counter() - began):>10,.0f}", flush=True)


def main():
    seconds = float(sys.argv[1])
    print(f"{'steps a second':<56}")
    measure("PettingZoo connect_four_v3", connect_four(), seconds)
    measure("OpenSpiel connect_four, rl_environment", spiel_environment(), seconds)
    measure("OpenSpiel connect_four, states with observations", spiel_states(True), seconds)
    measure("OpenSpiel connect_four, states alone", spiel_states(False), seconds)
    for game in GAMES:
        measure(f"FlipsideAEC {game}", agents(lambda game=game: FlipsideAEC(game)), seconds)
        for tables in (256, 1024):
            measure(f"FlipsideVector {game}, {tables} tables", batch(game, tables), seconds)


if __name__ == "__main__":
    main()
