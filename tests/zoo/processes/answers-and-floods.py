#!/usr/bin/env python3
# Answers, and writes without end while the other one is asked.
# gets: unasked or too-long
# within: 300 ms
import json, os, sys
sys.stdin.readline()
print('{"type":"ready","actions":true}', flush=True)
turn = json.loads(sys.stdin.readline())
print(json.dumps({"type": "act", "id": turn["id"], "action": turn["actions"][0]}), flush=True)
while True:
    os.write(1, b"x" * 65536)
