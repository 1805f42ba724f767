"""A bot for FlipFour that plays what ``flipfour.py`` has learnt: it takes the action with the best value after it."""

from __future__ import annotations

import json
import sys
from math import inf
from typing import Any, Dict, List

from value import Value, after, has_won, pieces_of


def choose(value: Value, seat: int, view: Dict[str, Any], actions: List[str]) -> str:
    """Returns the legal action after which the position is worth most."""
    letters = ("RB", "rb")
    own = pieces_of(view["board"], letters[seat])
    other = pieces_of(view["board"], letters[1 - seat])
    best, action = -inf, actions[0]
    for candidate in actions:
        pieces = after(own, candidate)
        worth = 2.0 if has_won(pieces) else value.of(pieces, other)
        if worth > best:
            best, action = worth, candidate
    return action


def main() -> None:
    value = Value.read("weights.bin")
    seat = 0
    for line in sys.stdin:
        message = json.loads(line)
        answer: Dict[str, Any] = {}
        if message["type"] == "hello":
            if message["game"] != "flipfour":
                sys.exit("this bot plays flipfour only")
            seat = message["seat"]
            answer = {"type": "ready", "name": "learnt", "actions": True, "reuse": True}
        elif message["type"] == "turn":
            action = choose(value, seat, message["view"], message["actions"])
            answer = {"type": "act", "id": message["id"], "action": action}
        if answer:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
