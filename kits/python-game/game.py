"""mygame: take stones from a heap; whoever takes the last one wins. Make it your own game."""

from typing import Any, Dict, List, Optional

from flipside_game import Game, Over, Refused, Viewer, serve


class MyGame(Game):
    """The rules, and each object is a match. `start` may set any attributes that `play` changes."""

    id = "mygame"
    title = "mygame"
    summary = "Take stones from a heap; whoever takes the last one wins"
    seats = (2,)
    # A regular expression for the text of an action: here the number of stones that a seat takes.
    notation = "[1-9]"
    options = {
        "stones": {
            "type": "integer", "minimum": 1, "maximum": 100, "default": 21,
            "description": "how many stones are in the heap at first",
        },
        "most": {
            "type": "integer", "minimum": 2, "maximum": 9, "default": 3,
            "description": "how many stones a seat may take at once",
        },
    }
    brief = {"stones": 9}
    reasons = ("last-stone",)

    def start(self, options: Dict[str, Any], seats: int) -> None:
        self.stones: int = options["stones"]
        self.most: int = options["most"]
        self.mover = 0

    def to_move(self) -> int:
        return self.mover

    def actions(self, seat: int) -> List[str]:
        return [str(take) for take in range(1, min(self.most, self.stones) + 1)]

    def play(self, seat: int, action: str) -> None:
        self.stones -= int(action)
        self.mover = 1 - seat

    def over(self) -> Optional[Over]:
        if self.stones > 0:
            return None
        # The seat that would be next did not take the last stone.
        return ([0, 1] if self.mover == 0 else [1, 0]), "last-stone"

    def view(self, viewer: Viewer) -> Dict[str, Any]:
        over = self.stones == 0
        return {"stones": self.stones, "most": self.most, "to_move": None if over else self.mover}

    # The methods below are optional.

    def check(self, seat: int, action: str) -> None:
        if int(action) > self.most:
            raise Refused(f"a seat takes at most {self.most} stones")
        raise Refused(f"only {self.stones} are left")

    def action_words(self, action: str) -> str:
        return "takes 1 stone" if action == "1" else f"takes {action} stones"

    def path(self, seat: int, action: str) -> List[str]:
        # A person points at a stone, and takes it with all that follow it.
        return [action]

    @staticmethod
    def text(view: Dict[str, Any]) -> str:
        return "o" * view["stones"] + f" ({view['stones']} left)"

    @staticmethod
    def svg(view: Dict[str, Any]) -> str:
        stones = (
            f'<circle cx="{20 + 40 * (at % 10)}" cy="{20 + 40 * (at // 10)}" r="15"'
            f' data-mark="{view["stones"] - at}"/>'
            for at in range(view["stones"])
        )
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" fill="#667">'
            + "".join(stones) + "</svg>"
        )


if __name__ == "__main__":
    serve(MyGame)
