#!/usr/bin/env python3
"""A bot that plays any legal action, all alike. Copy it to start yours.

It reads one JSON message a line from standard input, and answers on standard output.
To say anything else, write to standard error: print(..., file=sys.stderr).
"""

import sys

sys.path.pop(0)  # this file would be found as Python's own "random"; leave this line out of yours

import json
import random


def send(message):
    print(json.dumps(message), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":  # a match begins
        # With all randomness from this seed, the same match can be played again.
        chance = random.Random(message["seed"])
        # actions: list the legal actions at every turn; reuse: another hello may follow.
        send({"type": "ready", "name": "random.py", "version": "1", "actions": True, "reuse": True})
    elif message["type"] == "turn":  # message["view"] shows what this seat may see
        send({"type": "act", "id": message["id"], "action": chance.choice(message["actions"])})
    # "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
