"""ahead: plays connect four, and looks ahead with the game's own rules.

It wins where one move wins, blocks where the opponent would, and otherwise searches: a Monte Carlo
tree search, which plays random matches from here to the end and tries more often what went well.
"""

import math
import random
import time
from typing import Dict, List

from flipside import Match, Turn, run
from game import ConnectFour

#: How much of its time the bot uses for a move, with a clock for every move and with one for the match.
OF_A_MOVE, OF_A_MATCH = 0.6, 0.04

#: How much the search prefers moves that it has seldom tried.
EXPLORATION = 1.4


class Node:
    """A position in the tree."""

    def __init__(self, state: ConnectFour, random: random.Random) -> None:
        self.over = state.over()
        self.mover = state.to_move()
        self.visits = 0
        # The points that the seat which moved here got in all visits: 1 for a win, 0.5 for a tie.
        self.points = 0.0
        self.children: Dict[str, "Node"] = {}
        self.untried: List[str] = [] if self.over else state.actions(self.mover)
        random.shuffle(self.untried)

    def best(self) -> str:
        """Returns the move to look at next: a good one, or one that was tried seldom."""
        tries = math.log(self.visits)

        def promise(action: str) -> float:
            child = self.children[action]
            return child.points / child.visits + EXPLORATION * math.sqrt(tries / child.visits)

        return max(self.children, key=promise)


def current_state(turn: Turn) -> ConnectFour:
    """Returns the state of the match, from the view: the first turn of a bot may come late in a match."""
    state = ConnectFour.begin(turn.match.options, turn.match.seats)
    columns = zip(*reversed(turn.view["board"]))
    state.stacks = ["".join(column).rstrip(".") for column in columns]
    state.ply = turn.view["ply"]
    return state


def wins(state: ConnectFour, seat: int, action: str) -> bool:
    after = state.copy()
    after.play(seat, action)
    return bool(after.line)


def play_out(state: ConnectFour, random: random.Random) -> List[int]:
    """Plays random moves to the end, and returns the points."""
    while True:
        over = state.over()
        if over is not None:
            return list(over[0])
        seat = state.to_move()
        state.play(seat, random.choice(state.actions(seat)))


def search(state: ConnectFour, until: float, random: random.Random) -> Node:
    """Returns the tree that was built until then."""
    root = Node(state, random)
    while time.monotonic() < until or root.visits < 2:
        node, after, path = root, state.copy(), [root]
        while not node.untried and not node.over:
            action = node.best()
            after.play(node.mover, action)
            node = node.children[action]
            path.append(node)
        if node.untried:
            action = node.untried.pop()
            after.play(node.mover, action)
            node.children[action] = Node(after, random)
            path.append(node.children[action])
        points = play_out(after, random)
        # Nobody moved to the root: it only counts visits.
        for parent, child in zip([root] + path, path):
            child.visits += 1
            child.points += 0.5 + (points[parent.mover] - points[1 - parent.mover]) / 2
    return root


def choose(turn: Turn) -> str:
    state, seat = current_state(turn), turn.match.seat
    for mover in (seat, 1 - seat):
        for action in turn.actions:
            if wins(state, mover, action):
                return action
    part = OF_A_MOVE if turn.match.clock.startswith("move=") else OF_A_MATCH
    root = search(state, time.monotonic() + part * turn.time_left(), turn.match.random)
    action = max(root.children, key=lambda action: root.children[action].visits)
    child = root.children[action]
    turn.note = f"{root.visits} playouts, {child.points / child.visits:.0%} for {action}"
    return action


def start(match: Match) -> None:
    if match.game != ConnectFour.id:
        raise ValueError(f"this bot plays {ConnectFour.id} only, not {match.game}")


if __name__ == "__main__":
    run(choose, name="ahead", start=start)
