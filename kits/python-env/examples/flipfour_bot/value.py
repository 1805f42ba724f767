"""What the learnt bot knows about FlipFour: the board, the features of a position, and their weights.

Plain Python, because the bot runs without numpy; ``flipfour.py`` learns the weights with the same features.

A square is a number from 0 (a5) to 24 (e1), rank by rank from the top down, as in views. A *piece* is twice its square,
plus 1 if it moves like a bishop; 50 is a piece in hand. A position is the four pieces of the side that has moved last
and the four of its opponent, each sorted.
"""

from __future__ import annotations

from array import array
from itertools import combinations
from math import tanh
from typing import Callable, Dict, List, Sequence, Tuple

SIDE = 5
SQUARES = SIDE * SIDE
#: A piece in hand.
HAND = 2 * SQUARES
#: How many numbers of pieces there are.
CODES = HAND + 1

NAMES = [f"{'abcde'[square % SIDE]}{SIDE - square // SIDE}" for square in range(SQUARES)]


def _lines() -> List[Tuple[int, ...]]:
    lines = []
    for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for row in range(SIDE):
            for column in range(SIDE):
                if 0 <= column + 3 * right < SIDE and row + 3 * down < SIDE:
                    lines.append(tuple((row + step * down) * SIDE + column + step * right for step in range(4)))
    return lines


#: The 28 lines of four adjacent squares.
LINES = _lines()


def _symmetries() -> List[List[int]]:
    """Returns the eight rotations and reflections of the board, as where each square goes."""
    turns: List[Callable[[int, int], Tuple[int, int]]] = [
        lambda row, column: (row, column),
        lambda row, column: (column, SIDE - 1 - row),
        lambda row, column: (SIDE - 1 - row, SIDE - 1 - column),
        lambda row, column: (SIDE - 1 - column, row),
    ]
    result = []
    for turn in turns:
        for mirrored in (False, True):
            squares = []
            for square in range(SQUARES):
                row, column = turn(*divmod(square, SIDE))
                squares.append(row * SIDE + (SIDE - 1 - column if mirrored else column))
            result.append(squares)
    return result


#: The rules are the same under these, and so are the weights.
SYMMETRIES = _symmetries()

#: The same for pieces.
OF_PIECES = [[2 * squares[piece // 2] + piece % 2 for piece in range(HAND)] + [HAND] for squares in SYMMETRIES]


def group_key(pieces: Sequence[int]) -> int:
    """Returns a number of some pieces that is the same for all their rotations and reflections."""
    best = -1
    for moved in OF_PIECES:
        key = 0
        for piece in sorted([moved[piece] for piece in pieces]):
            key = key * CODES + piece
        if best < 0 or key < best:
            best = key
    return best


def pair_key(own: int, other: int) -> int:
    """Returns a number of a piece and one of the opponent, the same for all rotations and reflections."""
    return min(moved[own] * CODES + moved[other] for moved in OF_PIECES)


def line_key(line: int, cells: Sequence[int]) -> int:
    """Returns a number of a line with what is on its squares (0 to 4), the same for all rotations and reflections."""
    best = -1
    for squares in SYMMETRIES:
        moved = sorted((squares[square], cell) for square, cell in zip(LINES[line], cells))
        key = 0
        for square, cell in moved:
            key = (key * SQUARES + square) * 5 + cell
        if best < 0 or key < best:
            best = key
    return best


class Value:
    """The value of positions, from −1 (lost) to 1 (won) for the side that has moved last."""

    def __init__(self, weights: Dict[str, Dict[int, float]]) -> None:
        #: By the kind of a feature and its key. What was never met in training has no weight.
        self.weights = weights
        self._lines: Dict[Tuple[int, int], float] = {}
        self._pairs: Dict[int, float] = {}

    @classmethod
    def read(cls, path: str) -> Value:
        """Reads a file that :meth:`write` wrote."""
        weights: Dict[str, Dict[int, float]] = {}
        with open(path, "rb") as file:
            for kind in KINDS:
                count, keys, values = array("q"), array("q"), array("f")
                count.fromfile(file, 1)
                keys.fromfile(file, count[0])
                values.fromfile(file, count[0])
                weights[kind] = dict(zip(keys, values))
        return cls(weights)

    def write(self, path: str) -> None:
        """Writes the weights: for each kind their number, their keys and their values, in the order of the machine."""
        with open(path, "wb") as file:
            for kind in KINDS:
                weights = self.weights[kind]
                array("q", [len(weights)]).tofile(file)
                array("q", weights.keys()).tofile(file)
                array("f", weights.values()).tofile(file)

    def of(self, own: Sequence[int], other: Sequence[int]) -> float:
        """Returns the value of a position in which nobody has four in a line."""
        squares = cells_of(own, other)
        if any(squares[square] == 0 for square in winning_squares(other)):
            return -1.0
        return tanh(self.of_side("own", own) + self.of_side("other", other) + self.of_both(own, other))

    def of_side(self, side: str, pieces: Sequence[int]) -> float:
        """Returns what the pieces of one side add: all four, and each three of them."""
        four, three = self.weights[side + " four"], self.weights[side + " three"]
        total = four.get(group_key(pieces), 0.0)
        for some in combinations(pieces, 3):
            total += three.get(group_key(some), 0.0)
        return total

    def of_both(self, own: Sequence[int], other: Sequence[int]) -> float:
        """Returns what the pieces of both sides add together: each two of them, and each line of four squares."""
        total = 0.0
        for piece in own:
            for rival in other:
                pair = piece * CODES + rival
                if pair not in self._pairs:
                    self._pairs[pair] = self.weights["pair"].get(pair_key(piece, rival), 0.0)
                total += self._pairs[pair]
        cells = cells_of(own, other)
        for number, (first, second, third, fourth) in enumerate(LINES):
            pattern = cells[first] * 125 + cells[second] * 25 + cells[third] * 5 + cells[fourth]
            if (number, pattern) not in self._lines:
                key = line_key(number, [cells[square] for square in LINES[number]])
                self._lines[number, pattern] = self.weights["line"].get(key, 0.0)
            total += self._lines[number, pattern]
        return total


#: The kinds of features, in the order of the file.
KINDS = ("own four", "own three", "other four", "other three", "pair", "line")


def cells_of(own: Sequence[int], other: Sequence[int]) -> List[int]:
    """Returns what is on each square: 0 for nothing, 1 and 2 for an own piece, 3 and 4 for one of the opponent."""
    cells = [0] * (SQUARES + 1)
    for first, pieces in ((1, own), (3, other)):
        for piece in pieces:
            cells[piece // 2] = first + piece % 2
    return cells


def pieces_of(board: Sequence[str], letters: str) -> List[int]:
    """Returns the pieces of one side in a view: ``letters`` are ``RB`` for seat 0 and ``rb`` for seat 1."""
    found = []
    for square, letter in enumerate("".join(board)):
        if letter in letters:
            found.append(2 * square + letters.index(letter))
    return found + [HAND] * (4 - len(found))


def after(pieces: Sequence[int], action: str) -> List[int]:
    """Returns the pieces of a side after its action."""
    rest = list(pieces)
    if action[0] in "+x":
        rest.remove(HAND)
        rest.append(2 * NAMES.index(action[1:]) + "+x".index(action[0]))
    else:
        start, end = (NAMES.index(name) for name in action.split("-"))
        moved = next(piece for piece in rest if piece // 2 == start)
        rest.remove(moved)
        rest.append(2 * end + 1 - moved % 2)
    return sorted(rest)


def has_won(pieces: Sequence[int]) -> bool:
    """Returns whether the pieces of a side are on a line of four adjacent squares."""
    return tuple(sorted(piece // 2 for piece in pieces)) in _WON


def winning_squares(pieces: Sequence[int]) -> List[int]:
    """Returns the squares on which a side completes a line with its next action, if they are empty."""
    squares = [piece // 2 for piece in pieces]
    found = []
    for line in LINES:
        rest = [piece for piece, square in zip(pieces, squares) if square not in line]
        if len(rest) == 1:
            (end,) = (square for square in line if square not in squares)
            if rest[0] == HAND or moves(rest[0], end):
                found.append(end)
    return found


def moves(piece: int, end: int) -> bool:
    """Returns whether a piece on the board moves to a square if that is empty."""
    down, right = abs(piece // 2 // SIDE - end // SIDE), abs(piece // 2 % SIDE - end % SIDE)
    return down == right if piece % 2 else down == 0 or right == 0


_WON = {tuple(sorted(line)) for line in LINES}
