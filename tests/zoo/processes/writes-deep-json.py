#!/usr/bin/env python3
# Writes JSON of thirty thousand brackets.
# gets: malformed
# within: 1500 ms
import time
print('{"type":"ready","name":' + "[" * 30000 + "]" * 30000 + "}", flush=True)
time.sleep(1000)
