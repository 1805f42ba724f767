#!/usr/bin/env python3
"""A bot that plays any legal action, all alike, with numpy. Copy it to start one that computes with arrays.

It reads one JSON message a line from standard input, and answers on standard output.
To say anything else, write to standard error: print(..., file=sys.stderr).
"""

import sys

sys.path.pop(0)  # "random.py" beside this file would hide Python's own "random"; leave this line out of yours

import json

import numpy


def send(message):
    print(json.dumps(message), flush=True)  # without the flush the referee waits in vain


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":  # a match begins
        # With all randomness from this seed, the same match can be played again.
        chance = numpy.random.default_rng(message["seed"])
        # actions: list the legal actions at every turn; reuse: another hello may follow.
        send({"type": "ready", "name": "random_numpy.py", "version": "1", "actions": True, "reuse": True})
    elif message["type"] == "turn":  # message["view"] shows what this seat may see
        actions = numpy.array(message["actions"])
        send({"type": "act", "id": message["id"], "action": str(chance.choice(actions))})
    # "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
