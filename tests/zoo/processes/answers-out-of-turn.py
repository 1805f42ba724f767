#!/usr/bin/env python3
# Answers its next question while the other one is asked.
# What the referee has not read when it asks, it takes for what it says it is; then it is late.
# gets: unasked or late
# within: 300 ms
import json, sys, time
sys.stdin.readline()
print('{"type":"ready","actions":true}', flush=True)
turn = json.loads(sys.stdin.readline())
for number, action in enumerate(turn["actions"][:2]):
    print(json.dumps({"type": "act", "id": turn["id"] + number, "action": action}), flush=True)
time.sleep(1000)
