#!/usr/bin/env python3
# Gives the same answer twice.
# gets: unasked
# within: 300 ms
import json, sys
sys.stdin.readline()
print('{"type":"ready","actions":true}', flush=True)
for line in sys.stdin:
    turn = json.loads(line)
    act = json.dumps({"type": "act", "id": turn["id"], "action": turn["actions"][0]})
    print(act + "\n" + act, flush=True)
