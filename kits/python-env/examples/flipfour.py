"""Learns FlipFour by playing against itself, and writes a bot.

    python flipfour.py --bot learnt

A value function is learnt by TD(λ) over positions after actions: a sum of weights, one for each feature, through tanh.
The features are in ``flipfour_bot/value.py``, which the bot uses, too: the four pieces of a side, each three of them,
each two pieces of different sides, and what is on each line of four squares; rotations and reflections share weights.
Both sides choose the action with the best value after it, and sometimes any other. 256 matches are played at once, in
:class:`flipside_env.FlipsideVector`.

The same ``--seed`` gives the same weights again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from curve import write_curve
from flipside_env import FlipsideGym, FlipsideVector

BOT = Path(__file__).parent / "flipfour_bot"
sys.path.insert(0, str(BOT))

from value import CODES, HAND, KINDS, LINES, NAMES, OF_PIECES, SIDE, SQUARES, SYMMETRIES, Value  # noqa: E402

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float32]

#: How much the end of a match counts for the positions before it, against the value of the next position.
LAMBDA = 0.8
#: How often a side takes any action, and in how many first plies it always does, at most.
EXPLORATION = 0.05
OPENING = 6
#: The rate of learning, at first and at the end.
RATE, LAST_RATE = 0.1, 0.02
#: Longer matches are draws while it learns.
MAX_PLIES = 150


class Table(NamedTuple):
    """The weights of one kind of feature: where they are, and the key of each."""

    #: The number of the weight by index of the feature.
    numbers: npt.NDArray[np.int32]
    keys: _Ints


def shared(keys: _Ints, images: List[_Ints], size: int) -> Table:
    """Numbers the features so that all images of one under the symmetries have one number. ``keys`` are those of the
    features, and ``images`` those of their images, feature by feature; keys are below ``size``."""
    canonical = np.minimum.reduce(images)
    unique, inverse = np.unique(canonical, return_inverse=True)
    numbers = np.zeros(size, np.int32)
    numbers[keys] = inverse
    return Table(numbers, unique)


def groups(count: int) -> Table:
    """Returns the weights of groups of so many pieces of one side, by their key."""
    pieces = all_groups(count)
    images = [key_of(np.sort(np.array(moved)[pieces], axis=1)) for moved in OF_PIECES]
    return shared(images[0], images, CODES**count)


def all_groups(count: int) -> _Ints:
    """Returns all groups of so many pieces of one side, sorted."""
    found = []
    for held in range(count + 1):
        for squares in combinations(range(SQUARES), count - held):
            found.append([*(2 * square for square in squares), *([HAND] * held)])
    pieces = np.array(found)
    # All ways in which the pieces on the board can lie.
    faces = np.array([[number >> bit & 1 for bit in range(count)] for number in range(2**count)])
    result: _Ints = pieces[:, None, :] + np.where(pieces == HAND, 0, 1)[:, None, :] * faces
    return result.reshape(-1, count)


def key_of(pieces: _Ints) -> _Ints:
    """Returns the keys of groups of pieces, which are the last dimension and sorted."""
    key = np.zeros(pieces.shape[:-1], np.int64)
    for at in range(pieces.shape[-1]):
        key = key * CODES + pieces[..., at]
    return key


def pairs() -> Table:
    """Returns the weights of two pieces of different sides, by their key."""
    own, other = (piece.ravel() for piece in np.meshgrid(np.arange(CODES), np.arange(CODES), indexing="ij"))
    images = [np.array(moved)[own] * CODES + np.array(moved)[other] for moved in OF_PIECES]
    return shared(images[0], images, CODES**2)


def lines() -> Table:
    """Returns the weights of lines, by the number of the line and what is on its squares."""
    numbers, patterns = (part.ravel() for part in np.meshgrid(np.arange(len(LINES)), np.arange(625), indexing="ij"))
    cells = np.stack([patterns // 125, patterns // 25 % 5, patterns // 5 % 5, patterns % 5], axis=1)
    images = []
    for squares in SYMMETRIES:
        moved = np.sort(np.array(squares)[np.array(LINES)[numbers]] * 5 + cells, axis=1)
        key = np.zeros(len(moved), np.int64)
        for at in range(4):
            key = key * (SQUARES * 5) + moved[:, at]
        images.append(key)
    return shared(numbers * 625 + patterns, images, len(LINES) * 625)


class Learner:
    """The weights of all features, in one array."""

    def __init__(self) -> None:
        self.tables = {
            "own four": groups(4), "own three": groups(3), "other four": groups(4), "other three": groups(3),
            "pair": pairs(), "line": lines(),
        }
        self.first: Dict[str, int] = {}
        count = 0
        for kind, table in self.tables.items():
            self.first[kind] = count
            count += len(table.keys)
        self.weights: _Floats = np.zeros(count, np.float32)
        #: The sums of the squares of what each weight was told, as AdaGrad keeps them.
        self.squares: _Floats = np.zeros(count, np.float32)
        self.wins = winning_squares()

    def features(self, own: _Ints, other: _Ints) -> _Ints:
        """Returns the numbers of the weights of positions: the pieces of both sides, four each, sorted."""
        found = []
        for side, pieces in (("own", own), ("other", other)):
            found.append(self._numbers(side + " four", key_of(pieces))[:, None])
            threes = np.stack([pieces[:, list(some)] for some in combinations(range(4), 3)], axis=1)
            found.append(self._numbers(side + " three", key_of(threes)))
        found.append(self._numbers("pair", (own[:, :, None] * CODES + other[:, None, :]).reshape(len(own), -1)))
        on_lines = cells_of(own, other)[:, np.array(LINES)]
        patterns = on_lines @ np.array([125, 25, 5, 1])
        found.append(self._numbers("line", patterns + np.arange(len(LINES)) * 625))
        return np.concatenate(found, axis=1)

    def values(self, features: _Ints, own: _Ints, other: _Ints) -> _Floats:
        """Returns the values of positions for the side that has moved last.

        They are 1 where it has won, and −1 where the other side wins next.
        """
        values = self.learnt(features)
        occupied = np.bitwise_or.reduce(np.where(own == HAND, 0, 1 << own // 2), axis=1)
        lost = self.wins[key_of(other)] & ~occupied
        values[lost != 0] = -1
        values[has_won(own)] = 1
        return values

    def learnt(self, features: _Ints) -> _Floats:
        values: _Floats = np.tanh(self.weights[features].sum(axis=1))
        return values

    def learn(self, features: _Ints, targets: _Floats, rate: float) -> None:
        """Brings the values of these positions closer to their targets."""
        errors = targets - self.learnt(features)
        gradient = np.bincount(features.ravel(), np.repeat(errors, features.shape[1]), len(self.weights))
        self.squares += gradient**2
        self.weights += rate * gradient / np.sqrt(self.squares + 1)

    def result(self) -> Value:
        """Returns what was learnt, as the bot uses it."""
        weights = {}
        for kind in KINDS:
            table = self.tables[kind]
            learnt = self.weights[self.first[kind] : self.first[kind] + len(table.keys)]
            some = np.flatnonzero(learnt)
            weights[kind] = dict(zip(table.keys[some].tolist(), learnt[some].tolist()))
        return Value(weights)

    def _numbers(self, kind: str, keys: _Ints) -> _Ints:
        return self.tables[kind].numbers[keys].astype(np.int64) + self.first[kind]


def winning_squares() -> npt.NDArray[np.int32]:
    """Returns by the key of the pieces of a side the squares on which it wins next if they are empty, as bits."""
    pieces = all_groups(4)
    squares = pieces // 2
    found = np.zeros(len(pieces), np.int32)
    for line in LINES:
        inside = np.isin(squares, line)
        near = inside.sum(axis=1) == 3
        rest = pieces[near][~inside[near]]
        # The square of the line that is not there: all four of the line less the three.
        end = sum(line) - np.where(inside[near], squares[near], 0).sum(axis=1)
        down, right = abs(rest // 2 // SIDE - end // SIDE), abs(rest // 2 % SIDE - end % SIDE)
        reaches = (rest == HAND) | np.where(rest % 2 == 1, down == right, (down == 0) | (right == 0))
        found[near] |= np.where(reaches, 1 << end, 0).astype(np.int32)
    result = np.zeros(CODES**4, np.int32)
    result[key_of(pieces)] = found
    return result


def cells_of(own: _Ints, other: _Ints) -> _Ints:
    """Returns what is on each square: 0 for nothing, 1 and 2 for an own piece, 3 and 4 for one of the opponent."""
    cells = np.zeros((len(own), SQUARES + 1), np.int64)
    rows = np.arange(len(own))[:, None]
    cells[rows, own // 2] = 1 + own % 2
    cells[rows, other // 2] = 3 + other % 2
    return cells[:, :SQUARES]


class Actions:
    """What each action of the game does to the pieces of a side."""

    def __init__(self, texts: Tuple[str, ...]) -> None:
        self.puts = np.array([text[0] in "+x" for text in texts])
        # The piece that is put, or the squares of the move.
        squares = [[NAMES.index(name) for name in (text[1:], text[1:])] if put else
                   [NAMES.index(name) for name in text.split("-")] for text, put in zip(texts, self.puts)]
        self.start, self.end = np.array(squares).T
        self.faces = np.array([text[0] == "x" for text in texts], np.int64)

    def after(self, pieces: _Ints, actions: _Ints) -> _Ints:
        """Returns the pieces of a side after its action, one for each row of pieces."""
        puts, rows = self.puts[actions], np.arange(len(actions))
        at = np.where(
            puts,
            (pieces == HAND).argmax(axis=1),
            (pieces // 2 == self.start[actions][:, None]).argmax(axis=1),
        )
        face = np.where(puts, self.faces[actions], 1 - pieces[rows, at] % 2)
        result = pieces.copy()
        result[rows, at] = 2 * self.end[actions] + face
        return np.sort(result, axis=1)


def pieces_of(planes: npt.NDArray[np.uint8]) -> _Ints:
    """Returns the pieces of a side, four for each table, sorted: the planes of its rooks and of its bishops."""
    # One column for each piece that may be there, and four for those in hand.
    there = planes.reshape(len(planes), 2, SQUARES).transpose(0, 2, 1).reshape(len(planes), HAND) > 0
    codes = np.where(there, np.arange(HAND), HAND)
    return np.sort(codes, axis=1)[:, :4]


def has_won(pieces: _Ints) -> npt.NDArray[np.bool_]:
    cells = np.zeros((len(pieces), SQUARES + 1), np.bool_)
    cells[np.arange(len(pieces))[:, None], pieces // 2] = True
    won: npt.NDArray[np.bool_] = np.any(np.all(cells[:, np.array(LINES)], axis=2), axis=1)
    return won


class Memory(NamedTuple):
    """What a table remembers of a ply of its match."""

    features: _Ints
    #: The value of the best action, for the side that has moved.
    best: float
    #: Whether that action was taken.
    greedy: bool


class SelfPlay:
    """Many matches against itself."""

    def __init__(self, learner: Learner, envs: Any, seed: int) -> None:
        self.learner, self.envs = learner, envs
        self.random = np.random.default_rng(seed)
        self.actions = Actions(envs.game.all_actions)
        self.observations, self.infos = envs.reset(seed=seed)
        self.memories: List[List[Memory]] = [[] for _ in range(envs.num_envs)]
        self.openings = self.random.integers(0, OPENING + 1, envs.num_envs)
        #: Matches that have ended, and plies.
        self.matches, self.plies = 0, 0

    def step(self, rate: float) -> None:
        """Plays a ply at each table, and learns from matches that end."""
        tables, legal = np.nonzero(self.observations["action_mask"])
        planes = self.observations["observation"]
        own, other = pieces_of(planes[:, :2]), pieces_of(planes[:, 2:4])
        after = self.actions.after(own[tables], legal)
        features = self.learner.features(after, other[tables])
        values = self.learner.values(features, after, other[tables])
        actions = np.zeros(len(planes), np.int64)
        starts = np.searchsorted(tables, np.arange(len(planes)))
        ends = np.searchsorted(tables, np.arange(len(planes)), side="right")
        for table, (start, end) in enumerate(zip(starts.tolist(), ends.tolist())):
            if start == end:
                continue
            best = start + int(values[start:end].argmax())
            memory, chosen = self.memories[table], best
            if len(memory) < self.openings[table] or self.random.random() < EXPLORATION:
                chosen = int(self.random.integers(start, end))
            actions[table] = legal[chosen]
            memory.append(Memory(features[chosen], float(values[best]), chosen == best))
            self.plies += 1
        self.observations, rewards, over, _, self.infos = self.envs.step(actions)
        self._learn(np.flatnonzero(over).tolist(), rewards, rate)

    def _learn(self, tables: List[int], rewards: npt.NDArray[Any], rate: float) -> None:
        features, targets = [], []
        for table in tables:
            # From the end back: what comes of a position is the negative of what comes of the next one.
            memory, target = self.memories[table], float(rewards[table])
            for ply in reversed(memory):
                features.append(ply.features)
                targets.append(target)
                # What comes of another action than the best says little about the position before.
                after = LAMBDA * target + (1 - LAMBDA) * ply.best if ply.greedy else ply.best
                target = -after
            self.memories[table] = []
            self.openings[table] = self.random.integers(0, OPENING + 1)
            self.matches += 1
        if features:
            self.learner.learn(np.array(features), np.array(targets, np.float32), rate)


def score(value: Value, opponent: str, matches: int, seed: int, flipside: Optional[str]) -> float:
    """Returns the share of points that the bot wins against an opponent, a draw counted as half. It changes seats, and
    its first action is drawn, so that the matches differ."""
    from bot import choose

    random = np.random.default_rng(seed)
    points = 0.0
    env = FlipsideGym("flipfour", opponent, seat=None, flipside=flipside)
    try:
        for match in range(matches):
            observation, info = env.reset(seed=seed + match)
            over, turn, reward = False, 0, 0.0
            while not over:
                legal = np.flatnonzero(observation["action_mask"]).tolist()
                if turn < 1:
                    action = int(random.choice(legal))
                else:
                    texts = {env.match.text(env.seat, action): action for action in legal}
                    action = texts[choose(value, env.seat, env.match.view(env.seat), list(texts))]
                observation, reward, over, _, info = env.step(action)
                turn += 1
            points += (reward + 1) / 2
    finally:
        env.close()
    return points / matches


def write_bot(value: Value, folder: Path) -> None:
    """Writes the bundle of the bot with these weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bot.py", "bot.toml", "value.py"):
        shutil.copy(BOT / name, folder / name)
    value.write(str(folder / "weights.bin"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=1_000_000, help="plies of self-play [default: 1000000]")
    parser.add_argument("--tables", type=int, default=256, help="matches at once [default: 256]")
    parser.add_argument("--seed", type=int, default=1, help="all randomness follows from it [default: 1]")
    parser.add_argument("--points", type=int, default=10, help="points of the curve [default: 10]")
    parser.add_argument("--matches", type=int, default=100, help="matches for a point of the curve [default: 100]")
    parser.add_argument("--opponent", default="sample:greedy", help="whom to measure against [default: sample:greedy]")
    parser.add_argument("--curve", type=Path, help="write the curve to this file, as SVG")
    parser.add_argument("--bot", type=Path, help="write the bundle of the bot to this folder")
    parser.add_argument("--flipside", help="the program [default: that of FLIPSIDE, or the one on PATH]")
    args = parser.parse_args()

    learner = Learner()
    curve: List[Tuple[float, float]] = []
    began = time.monotonic()
    with_options = {"options": {"max_plies": MAX_PLIES}, "flipside": args.flipside}
    envs = FlipsideVector("flipfour", args.tables, **with_options)
    play = SelfPlay(learner, envs, args.seed)
    print(f"   plies  matches  seconds  points against {args.opponent}")
    for point in range(args.points + 1):
        until = args.plies * point // args.points
        while play.plies < until:
            done = play.plies / args.plies
            play.step(RATE + (LAST_RATE - RATE) * done)
        share = score(learner.result(), args.opponent, args.matches, args.seed, args.flipside)
        curve.append((play.plies, share))
        bar = "#" * round(40 * share)
        print(f"{play.plies:8} {play.matches:8} {time.monotonic() - began:8.0f}  {share:6.1%} {bar}", flush=True)
    envs.close()
    if args.curve:
        write_curve(args.curve, curve, f"Points against {args.opponent}", "plies of self-play")
    if args.bot:
        write_bot(learner.result(), args.bot)
        print(f"the bot is in {args.bot}")


if __name__ == "__main__":
    main()
