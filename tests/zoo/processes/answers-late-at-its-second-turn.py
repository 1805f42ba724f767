#!/usr/bin/env python3
# Answers once, and then late.
# gets: late
# within: 300 ms
import json, sys, time
sys.stdin.readline()
print('{"type":"ready","actions":true}', flush=True)
for line in sys.stdin:
    turn = json.loads(line)
    if turn["id"] > 1:
        time.sleep(2)
    print(json.dumps({"type": "act", "id": turn["id"], "action": turn["actions"][0]}), flush=True)
