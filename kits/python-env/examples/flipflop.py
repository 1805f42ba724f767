"""Learns FlipFlop on the 3×3 board by playing against itself, and compares the result with the exact solution.

    python flipflop.py

**Learning.** Q-learning with a table: the value of an action is −γ times the value of the position after it for the
other side, or what it wins. Matches of 1024 tables at once, in :class:`flipside_env.FlipsideVector`, choose the action
that was taken least often among those after which the winner is unknown. What was seen is replayed in sweeps. An action
that was never taken counts as 0, unknown; so a position gets a value only when its winner is proved by what was seen.

**The exact solution.** All positions that play can reach are listed by rules written here, apart from Flipside's, and
solved from the ends back. A repetition does not change who can force a win: a shortest win repeats no position. A
position that neither side can win would be a draw, by repetition; there is none.

Positions are seen from the side to move, with its own pieces coming from below: ``R`` and ``B`` are its rooks and
bishops, ``r`` and ``b`` the other side's.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict, deque
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from curve import write_curve
from flipside_env import FlipsideGym, FlipsideVector

LETTERS = ".RBrb"
START = "rrr...RRR"
#: The goal that the side to move wants to reach, and its own: squares are counted from the top row on.
GOAL, OWN_GOAL = 1, 7
POSITIONS = len(LETTERS) ** 9
#: A win in fewer plies is worth more.
GAMMA = 0.95
#: An action after which the winner is known is taken as if it had been taken so many times more.
KNOWN = 1_000_000
#: Steps of all tables between two replays.
REPLAY = 50
#: After so many plies of self-play, the winner of the start is known for long.
PLIES = 3_000_000


def moves(board: str) -> List[Tuple[int, int]]:
    """Returns the legal moves of the side to move: from and to."""
    found = []
    for start, letter in enumerate(board):
        if letter not in "RB":
            continue
        row, column = divmod(start, 3)
        steps = ((1, 0), (-1, 0), (0, 1), (0, -1)) if letter == "R" else ((1, 1), (1, -1), (-1, 1), (-1, -1))
        for down, right in steps:
            for far in (1, 2):
                at = row + far * down, column + far * right
                if not (0 <= at[0] < 3 and 0 <= at[1] < 3):
                    break
                end = 3 * at[0] + at[1]
                if board[end] != ".":
                    if board[end] in "rb" and end in (GOAL, OWN_GOAL):
                        found.append((start, end))
                    break
                found.append((start, end))
    return found


def after(board: str, start: int, end: int) -> str:
    """Returns the position after a move, seen from the other side."""
    squares = list(board)
    squares[end] = "B" if squares[start] == "R" else "R"
    squares[start] = "."
    rows = "".join(squares).translate(str.maketrans("RBrb", "rbRB"))
    return rows[6:] + rows[3:6] + rows[:3]


def solve() -> Dict[str, int]:
    """Returns the exact values of all positions that play can reach: in how many plies the side to move wins, negative
    and less 1 where it loses: −1 has lost, and 0 has won. Positions that neither side can win are absent."""
    before: Dict[str, List[str]] = defaultdict(list)
    open_moves: Dict[str, int] = {}
    values: Dict[str, int] = {}
    waiting, found = [START], {START}
    while waiting:
        board = waiting.pop()
        if board[GOAL] in "RB":
            values[board] = 0
            continue
        legal = moves(board)
        if not legal:
            values[board] = -1
        open_moves[board] = len(legal)
        for move in legal:
            following = after(board, *move)
            before[following].append(board)
            if following not in found:
                found.add(following)
                waiting.append(following)
    ready = deque(values)
    while ready:
        board = ready.popleft()
        plies = distance(values[board]) + 1
        for earlier in before[board]:
            if earlier in values:
                continue
            if values[board] < 0:
                values[earlier] = plies
            else:
                open_moves[earlier] -= 1
                if open_moves[earlier]:
                    continue
                values[earlier] = -1 - plies
            ready.append(earlier)
    return values


def distance(value: int) -> int:
    """Returns in how many plies a position is decided."""
    return value if value >= 0 else -1 - value


def code_of(board: str) -> int:
    code = 0
    for letter in board:
        code = code * len(LETTERS) + LETTERS.index(letter)
    return code


class Learner:
    """A table of values, and what was seen of the game."""

    def __init__(self, texts: Tuple[str, ...]) -> None:
        self.actions = len(texts)
        #: Each action as it looks from the other side: its ranks are counted from there.
        turned = [text.translate(str.maketrans("123", "321")) for text in texts]
        self.turned = np.array([texts.index(text) for text in turned])
        #: The value of each position for the side to move; 0 is unknown.
        self.values: npt.NDArray[np.float64] = np.zeros(POSITIONS)
        #: The row of each position that was met, or −1.
        self.row: npt.NDArray[np.int64] = np.full(POSITIONS, -1)
        self.rows = 0
        #: By row, how often each action was taken, the position after it, and how many are legal.
        self.taken: npt.NDArray[np.int32] = np.zeros((1024, self.actions), np.int32)
        self.following: npt.NDArray[np.int32] = np.zeros((1024, self.actions), np.int32)
        self.legal: npt.NDArray[np.int32] = np.zeros(1024, np.int32)
        self.codes: npt.NDArray[np.int64] = np.zeros(1024, np.int64)
        #: What was seen: the row, the action, the position after it, and the reward if the match was over.
        self.seen: List[npt.NDArray[Any]] = []

    def seen_from_the_side(self, observations: Dict[str, Any], seats: Any) -> Tuple[Any, Any]:
        """Returns codes of positions and masks of actions, as the side to move sees them."""
        planes = observations["observation"][:, :4].astype(np.int64)
        second = seats == 1
        boards = np.tensordot(planes, np.arange(1, 5), axes=(1, 0))
        boards[second] = boards[second][:, ::-1]
        codes = boards.reshape(len(boards), 9) @ (len(LETTERS) ** np.arange(8, -1, -1))
        masks = observations["action_mask"].copy()
        masks[second] = masks[second][:, self.turned]
        return codes, masks

    def rows_of(self, codes: Any, masks: Any) -> Any:
        """Returns the rows of positions; new ones get one."""
        new, first = np.unique(codes[self.row[codes] < 0], return_index=True)
        if len(new):
            masks = masks[self.row[codes] < 0][first]
            self.row[new] = np.arange(self.rows, self.rows + len(new))
            while self.rows + len(new) > len(self.legal):
                self.taken = np.concatenate([self.taken, np.zeros_like(self.taken)])
                self.following = np.concatenate([self.following, np.zeros_like(self.following)])
                self.legal = np.concatenate([self.legal, np.zeros_like(self.legal)])
                self.codes = np.concatenate([self.codes, np.zeros_like(self.codes)])
            self.legal[self.rows : self.rows + len(new)] = masks.sum(axis=1)
            self.codes[self.rows : self.rows + len(new)] = new
            self.rows += len(new)
        return self.row[codes]

    def sweep(self) -> float:
        """Replays all that was seen once. Returns the greatest change of a value."""
        rows, _, worth = self._worth()
        best = np.full(self.rows, -1.0)
        np.maximum.at(best, rows, worth)
        untried = (self.taken[: self.rows] > 0).sum(axis=1) < self.legal[: self.rows]
        best[untried] = np.maximum(best[untried], 0)
        codes = self.codes[: self.rows]
        change = float(np.abs(self.values[codes] - best).max())
        self.values[codes] = best
        return change

    def policy(self) -> npt.NDArray[np.int64]:
        """Returns the best action by position, of those that were taken; −1 where there is none."""
        rows, actions, worth = self._worth()
        result = np.full(POSITIONS, -1)
        # Of equal ones, the last assignment counts: the best.
        order = np.argsort(worth, kind="stable")
        result[self.codes[rows[order]]] = actions[order]
        return result

    def _worth(self) -> Tuple[Any, Any, Any]:
        """Returns the row, the action and the value of all that was seen."""
        rows, actions, following, rewards = (np.concatenate(part) for part in zip(*self.seen))
        return rows, actions, np.where(rewards != 0, rewards, -GAMMA * self.values[following])


class SelfPlay:
    """Many matches against itself, which try what was tried least."""

    def __init__(self, envs: Any, seed: int) -> None:
        self.envs = envs
        self.learner = Learner(envs.game.all_actions)
        self.random = np.random.default_rng(seed)
        self.observations, self.infos = envs.reset(seed=seed)
        self.plies, self.steps = 0, 0

    def step(self) -> None:
        """Plays a ply at each table."""
        learner, seats = self.learner, self.infos["seat"]
        live = np.flatnonzero(seats < 2)
        some = {key: value[live] for key, value in self.observations.items()}
        codes, masks = learner.seen_from_the_side(some, seats[live])
        rows = learner.rows_of(codes, masks)
        often = np.where(masks > 0, learner.taken[rows] + self.random.random(masks.shape), np.inf)
        # Where a winner is known, there is less to learn.
        often[learner.values[learner.following[rows]] != 0] += KNOWN
        chosen = often.argmin(axis=1)
        first = learner.taken[rows, chosen] == 0
        np.add.at(learner.taken, (rows, chosen), 1)
        actions = np.zeros(self.envs.num_envs, np.int64)
        actions[live] = np.where(seats[live] == 1, learner.turned[chosen], chosen)
        self.observations, rewards, over, _, self.infos = self.envs.step(actions)
        self.plies += len(live)
        self.steps += 1
        # The end by repetition or by the limit is no property of the position.
        ended, won = over[live], rewards[live]
        keep = np.flatnonzero(first & ~(ended & (won == 0)))
        # The same may be first at several tables.
        _, once = np.unique(rows[keep] * learner.actions + chosen[keep], return_index=True)
        keep = keep[once]
        # What was drawn by history is tried again.
        drawn = np.flatnonzero(ended & (won == 0))
        np.add.at(learner.taken, (rows[drawn], chosen[drawn]), -1)
        # A match that is over shows the position to the first seat, which does not matter: its reward is known.
        following, _ = learner.seen_from_the_side(
            {key: value[live] for key, value in self.observations.items()}, self.infos["seat"][live]
        )
        learner.following[rows[keep], chosen[keep]] = following[keep]
        learner.seen.append(np.stack([rows[keep], chosen[keep], following[keep], won[keep].astype(np.int64)]))

    def sweep(self) -> int:
        """Replays what was seen until no value changes. Returns how many sweeps it took."""
        sweeps = 1
        while self.learner.sweep() > 0:
            sweeps += 1
        return sweeps


def plies_of(value: float) -> int:
    """Returns in how many plies a position with this value, which is not 0, is decided by what was seen."""
    return 1 + round(math.log(abs(value)) / math.log(GAMMA))


def compare(values: npt.NDArray[np.float64], exact: Dict[str, int]) -> Tuple[int, int, int]:
    """Returns of how many positions the values say the right winner, a wrong one, and none.

    Positions in which the match is over do not count: nobody has to know them.
    """
    right = wrong = unknown = 0
    for board, value in exact.items():
        if distance(value) == 0:
            continue
        learnt = values[code_of(board)]
        if learnt == 0:
            unknown += 1
        elif (learnt > 0) == (value > 0):
            right += 1
        else:
            wrong += 1
    return right, wrong, unknown


def play(learner: Learner, opponent: str, seat: int, seed: int, flipside: Optional[str]) -> float:
    """Plays one match with what was learnt, and returns the reward."""
    policy = learner.policy()
    env = FlipsideGym("flipflop-3x3", opponent, seat=seat, flipside=flipside)
    try:
        observation, _ = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            one = {key: value[None] for key, value in observation.items()}
            codes, masks = learner.seen_from_the_side(one, np.array([seat]))
            action = int(policy[codes[0]])
            if action < 0 or not masks[0][action]:
                action = int(masks[0].argmax())
            observation, reward, over, _, _ = env.step(int(learner.turned[action]) if seat == 1 else action)
    finally:
        env.close()
    return reward


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plies", type=int, default=PLIES, help=f"plies of self-play [default: {PLIES}]")
    parser.add_argument("--tables", type=int, default=1024, help="matches at once [default: 1024]")
    parser.add_argument("--seed", type=int, default=1, help="all randomness follows from it [default: 1]")
    parser.add_argument("--points", type=int, default=10, help="points of the curve [default: 10]")
    parser.add_argument("--curve", type=Path, help="write the curve to this file, as SVG")
    parser.add_argument("--flipside", help="the program [default: that of FLIPSIDE, or the one on PATH]")
    args = parser.parse_args()

    exact = solve()
    won = sum(value > 0 for value in exact.values())
    print(f"exact: {len(exact)} positions, {won} won; the side that begins wins in {exact[START]} plies")
    envs = FlipsideVector("flipflop-3x3", args.tables, flipside=args.flipside)
    self_play = SelfPlay(envs, args.seed)
    curve: List[Tuple[float, float]] = [(0, 0.0)]
    print("   plies  sweeps   right  wrong  unknown  the start")
    for point in range(1, args.points + 1):
        while self_play.plies < args.plies * point // args.points:
            self_play.step()
            if self_play.steps % REPLAY == 0:
                self_play.sweep()
        sweeps = self_play.sweep()
        right, wrong, unknown = compare(self_play.learner.values, exact)
        start = self_play.learner.values[code_of(START)]
        shown = "unknown" if start == 0 else f"{'won' if start > 0 else 'lost'} in {plies_of(start)} plies"
        curve.append((self_play.plies, right / (right + wrong + unknown)))
        print(f"{self_play.plies:8} {sweeps:7} {right:7} {wrong:6} {unknown:8}  {shown}", flush=True)
    envs.close()
    reward = play(self_play.learner, "sample:perfect", 0, args.seed, args.flipside)
    print(f"as White against sample:perfect: {'won' if reward > 0 else 'not won'}")
    if args.curve:
        write_curve(args.curve, curve, "Positions of FlipFlop 3×3 whose winner is known", "plies of self-play")


if __name__ == "__main__":
    main()
