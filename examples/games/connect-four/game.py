"""Connect four: discs fall into columns, and four in a line win."""

import copy
from typing import Any, Dict, List, Optional

from flipside_game import Game, Over, Refused, Viewer, serve

LETTERS = "abcdefghijkl"
DISCS = "xo"
COLOURS = {"x": "#d33", "o": "#fc3", ".": "#fff"}


def size(least: int, most: int, default: int, description: str) -> Dict[str, Any]:
    return {
        "type": "integer", "minimum": least, "maximum": most, "default": default,
        "description": description,
    }


class ConnectFour(Game):
    id = "connect-four"
    title = "Connect four"
    summary = "Drop discs into columns; four in a line win"
    seats = (2,)
    notation = "[a-l]"
    options = {
        "columns": size(3, 12, 7, "how many columns the board has"),
        "rows": size(3, 12, 6, "how many discs fit in a column"),
        "connect": size(3, 6, 4, "how many discs in a line win"),
    }
    brief = {"columns": 5, "rows": 4, "connect": 3}
    presets = {"five": {"columns": 9, "rows": 7, "connect": 5}, "narrow": {"columns": 3}}
    reasons = ("line", "full")
    view_schema = {
        "type": "object",
        "properties": {
            "board": {"type": "array", "items": {"type": "string"}, "description": "rows from the top"},
            "connect": {"type": "integer"},
            "to_move": {"type": ["integer", "null"]},
            "ply": {"type": "integer"},
            "line": {"type": "array", "items": {"type": "string"}, "description": "squares that win"},
        },
        "required": ["board", "connect", "to_move", "ply", "line"],
    }

    def start(self, options: Dict[str, Any], seats: int) -> None:
        self.columns: int = options["columns"]
        self.rows: int = options["rows"]
        self.connect: int = options["connect"]
        if self.connect > max(self.columns, self.rows):
            raise Refused(f"a line of {self.connect} does not fit on {self.columns}×{self.rows}")
        # The discs of each column, from the bottom up.
        self.stacks = [""] * self.columns
        self.ply = 0
        # The winning squares, such as "a1".
        self.line: List[str] = []

    def to_move(self) -> int:
        return self.ply % 2

    def actions(self, seat: int) -> List[str]:
        return [letter for letter, stack in zip(LETTERS, self.stacks) if len(stack) < self.rows]

    def play(self, seat: int, action: str) -> None:
        column = LETTERS.index(action)
        self.stacks[column] += DISCS[seat]
        self.ply += 1
        self.line = self.line_through(column, len(self.stacks[column]) - 1)

    def over(self) -> Optional[Over]:
        if self.line:
            return ([1, 0] if self.to_move() == 1 else [0, 1]), "line"
        if self.ply == self.columns * self.rows:
            return [0, 0], "full"
        return None

    def view(self, viewer: Viewer) -> Dict[str, Any]:
        return {
            "board": [
                "".join(self.disc(column, row) or "." for column in range(self.columns))
                for row in reversed(range(self.rows))
            ],
            "connect": self.connect,
            "to_move": None if self.over() else self.to_move(),
            "ply": self.ply,
            "line": self.line,
        }

    def disc(self, column: int, row: int) -> str:
        """Returns the disc on a square; an empty text if there is none, or no such square."""
        if 0 <= column < self.columns and 0 <= row < len(self.stacks[column]):
            return self.stacks[column][row]
        return ""

    def line_through(self, column: int, row: int) -> List[str]:
        """Returns the squares of a line that is long enough through this disc, if there is one."""
        own = self.disc(column, row)
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            squares = [(column, row)]
            for way in (1, -1):
                x, y = column + way * right, row + way * up
                while self.disc(x, y) == own:
                    squares.append((x, y))
                    x, y = x + way * right, y + way * up
            if len(squares) >= self.connect:
                return [f"{LETTERS[x]}{y + 1}" for x, y in sorted(squares)]
        return []

    def check(self, seat: int, action: str) -> None:
        if LETTERS.index(action) >= self.columns:
            raise Refused(f"the columns are a to {LETTERS[self.columns - 1]}")
        raise Refused(f"column {action} is full")

    def copy(self) -> "ConnectFour":
        # A search copies often, and only the list of columns changes in place.
        other = copy.copy(self)
        other.stacks = self.stacks.copy()
        return other

    def action_words(self, action: str) -> str:
        return f"drops a disc into column {action}"

    def path(self, seat: int, action: str) -> List[str]:
        return [action]

    @staticmethod
    def text(view: Dict[str, Any]) -> str:
        rows, last = view["board"], len(view["board"])
        lines = [f"{last - at:2} " + " ".join(row) for at, row in enumerate(rows)]
        return "\n".join(lines + ["   " + " ".join(LETTERS[: len(rows[0])])]) + "\n"

    @staticmethod
    def svg(view: Dict[str, Any]) -> str:
        rows = view["board"]
        wide, high = len(rows[0]), len(rows)
        circles = []
        for y, row in enumerate(rows):
            for x, disc in enumerate(row):
                wins = f"{LETTERS[x]}{high - y}" in view["line"]
                ring = ' stroke="#000" stroke-width="4"' if wins else ""
                place = f'cx="{40 * x + 20}" cy="{40 * y + 20}" r="16"'
                circles.append(f'<circle {place} fill="{COLOURS[disc]}"{ring}/>')
        columns = (
            f'<rect x="{40 * x}" width="40" height="{40 * high}" fill="none" data-mark="{letter}"/>'
            for x, letter in enumerate(LETTERS[:wide])
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {40 * wide} {40 * high}">'
            '<rect width="100%" height="100%" fill="#25b"/>' + "".join([*circles, *columns]) + "</svg>"
        )


if __name__ == "__main__":
    serve(ConnectFour)
