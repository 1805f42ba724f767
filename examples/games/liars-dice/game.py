"""Liar's dice: bid on all dice while you see only your own."""

import random
from typing import Any, Dict, Iterable, List, Optional

from flipside_game import SAMPLE, Chance, Game, Over, Refused, Viewer, serve

FACES = range(1, 7)
#: Which bits of a die's picture are set, in three rows of three.
PIPS = {1: "000010000", 2: "100000001", 3: "100010001", 4: "101000101", 5: "101010101", 6: "101101101"}


class LiarsDice(Game):
    id = "liars-dice"
    title = "Liar's dice"
    summary = "Bid on hidden dice, or call a bid; the last seat with dice wins"
    seats = (2, 3, 4, 5, 6)
    # A bid such as 3x5 says: there are at least three fives, under all cups together.
    notation = "call|[1-9][0-9]?x[1-6]"
    secrets = True
    options = {
        "dice": {
            "type": "integer", "minimum": 1, "maximum": 6, "default": 5,
            "description": "how many dice each seat has at first",
        },
        "wild": {
            "type": "boolean", "default": True,
            "description": "whether a one counts as any face that is bid",
        },
    }
    brief = {"dice": 2}
    presets = {"tame": {"wild": False}}
    reasons = ("last-seat",)

    def start(self, options: Dict[str, Any], seats: int) -> None:
        self.wild: bool = options["wild"]
        self.counts = [options["dice"]] * seats
        # The seats without dice, in the order in which they lost the last one.
        self.out: List[int] = []
        self.round = 0
        # What the last call showed.
        self.last: Optional[Dict[str, Any]] = None
        self.begin_round(0)

    def begin_round(self, mover: int) -> None:
        self.round += 1
        self.mover = mover
        # The newest bid, and who made it.
        self.bid: Optional[str] = None
        self.bidder = mover
        self.dice: List[List[int]] = [[] for _ in self.counts]
        self.to_roll = [seat for seat, count in enumerate(self.counts) if count > 0]

    # Chance: one seat after the other rolls, so that each can learn its own dice and no others.

    def chance(self) -> Optional[Chance]:
        return SAMPLE if self.to_roll else None

    def sample(self, random: random.Random) -> Any:
        seat = self.to_roll[0]
        return {"seat": seat, "dice": sorted(random.choice(FACES) for _ in range(self.counts[seat]))}

    def apply_chance(self, outcome: Any) -> None:
        seat = self.to_roll[0]
        dice = outcome.get("dice") if isinstance(outcome, dict) else None
        good = (
            isinstance(dice, list)
            and outcome == {"seat": seat, "dice": dice}
            and len(dice) == self.counts[seat]
            and all(type(die) is int and die in FACES for die in dice)
            and dice == sorted(dice)
        )
        if not good:
            raise Refused(f"seat {seat} rolls {self.counts[seat]} dice, which are told in order")
        self.dice[seat] = dice
        self.to_roll = self.to_roll[1:]

    def chance_seen_by(self, outcome: Any) -> Iterable[int]:
        return [outcome["seat"]]

    def redeal(self, viewer: Viewer, random: random.Random) -> None:
        for seat, dice in enumerate(self.dice):
            if seat != viewer:
                self.dice[seat] = sorted(random.choice(FACES) for _ in dice)

    # Seats.

    def to_move(self) -> int:
        return self.mover

    def actions(self, seat: int) -> List[str]:
        bids = [
            f"{quantity}x{face}" for quantity in range(1, sum(self.counts) + 1) for face in FACES
            if self.bid is None or worth(f"{quantity}x{face}") > worth(self.bid)
        ]
        return bids if self.bid is None else bids + ["call"]

    def check(self, seat: int, action: str) -> None:
        if action == "call":
            raise Refused("there is no bid to call")
        if worth(action)[0] > sum(self.counts):
            raise Refused(f"there are only {sum(self.counts)} dice")
        raise Refused(f"a bid must be higher than {self.bid}: more dice, or as many of a higher face")

    def play(self, seat: int, action: str) -> None:
        if action != "call":
            self.bid, self.bidder = action, seat
            self.mover = self.after(seat)
            return
        assert self.bid is not None, "a call is legal after a bid"
        quantity, face = worth(self.bid)
        counted = sum(self.counts_as(die, face) for dice in self.dice for die in dice)
        loser = seat if counted >= quantity else self.bidder
        self.last = {
            "caller": seat, "bidder": self.bidder, "bid": self.bid, "counted": counted,
            "loser": loser, "dice": self.dice,
        }
        self.counts[loser] -= 1
        if self.counts[loser] == 0:
            self.out.append(loser)
        self.begin_round(loser if self.counts[loser] > 0 else self.after(loser))

    def counts_as(self, die: int, face: int) -> bool:
        return die == face or (self.wild and die == 1)

    def after(self, seat: int) -> int:
        """Returns the next seat that has dice."""
        seats = len(self.counts)
        later = ((seat + step) % seats for step in range(1, seats + 1))
        return next(other for other in later if self.counts[other] > 0)

    def action_seen_by(self, seat: int, action: str) -> Iterable[int]:
        return range(len(self.counts))

    def over(self) -> Optional[Over]:
        if len(self.out) < len(self.counts) - 1:
            return None
        # Who is out later has more points, and the last seat has most.
        points = [len(self.out)] * len(self.counts)
        for place, seat in enumerate(self.out):
            points[seat] = place
        return points, "last-seat"

    def view(self, viewer: Viewer) -> Dict[str, Any]:
        view: Dict[str, Any] = {
            "round": self.round,
            "counts": self.counts,
            "wild": self.wild,
            "bid": self.bid,
            "bidder": None if self.bid is None else self.bidder,
            "to_move": None if self.over() or self.to_roll else self.mover,
            "last": self.last,
        }
        if viewer == "open":
            view["dice"] = self.dice
        elif viewer != "public":
            # Nobody else's dice are here, not even while others still have to roll.
            view["dice"] = [dice if seat == viewer else None for seat, dice in enumerate(self.dice)]
        return view

    # For people.

    def action_words(self, action: str) -> str:
        if action == "call":
            return "calls the bid"
        quantity, face = action.split("x")
        return f"bids {quantity} × {face}"

    def chance_words(self, outcome: Any) -> str:
        return f"seat {outcome['seat']} rolls {' '.join(map(str, outcome['dice']))}"

    @staticmethod
    def text(view: Dict[str, Any]) -> str:
        lines = [f"round {view['round']}"]
        for seat, faces in enumerate(faces_of(view)):
            lines.append(f"seat {seat}: {' '.join(face or '?' for face in faces) or 'out'}")
        if view["bid"] is not None:
            lines.append(f"seat {view['bidder']} bids {view['bid']}")
        last = view["last"]
        if last is not None:
            found = f"seat {last['caller']} called {last['bid']}, and there were {last['counted']}"
            lines.append(f"before: {found}; seat {last['loser']} lost a die")
        return "\n".join(lines) + "\n"

    @staticmethod
    def svg(view: Dict[str, Any]) -> str:
        parts = []
        for seat, faces in enumerate(faces_of(view)):
            parts.append(f'<text x="5" y="{40 * seat + 25}" font-size="14">seat {seat}</text>')
            for at, face in enumerate(faces):
                parts.append(draw_die(60 + 40 * at, 40 * seat + 5, face))
        high = 40 * len(view["counts"])
        if view["bid"] is not None:
            words = f"seat {view['bidder']} bids {view['bid']}"
            parts.append(f'<text x="5" y="{high + 20}" font-size="14">{words}</text>')
        size = f'viewBox="0 0 310 {high + 30}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>' + "".join(parts) + "</svg>"


def worth(bid: str) -> List[int]:
    """Returns the quantity and the face of a bid. Bids are higher in this order."""
    return [int(part) for part in bid.split("x")]


def faces_of(view: Dict[str, Any]) -> List[List[str]]:
    """Returns the dice of each seat in a view, as texts; an empty one for a die that is hidden."""
    shown = view.get("dice") or [None] * len(view["counts"])
    return [
        [str(die) for die in dice] if dice else [""] * count
        for dice, count in zip(shown, view["counts"])
    ]


def draw_die(x: int, y: int, face: str) -> str:
    fill = "#fff" if face else "#999"
    die = f'<rect x="{x}" y="{y}" width="30" height="30" rx="5" fill="{fill}" stroke="#333"/>'
    for at, pip in enumerate(PIPS[int(face)] if face else ""):
        if pip == "1":
            die += f'<circle cx="{x + 7 + 8 * (at % 3)}" cy="{y + 7 + 8 * (at // 3)}" r="3"/>'
    return die


if __name__ == "__main__":
    serve(LiarsDice)
