#!/usr/bin/env python3
"""A service of language models for tests, on the loopback device. The name of the model says how it answers.

As a program, it prints its address and ends with its standard input.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What a model that finds its move in the prompt thinks of it.
PROSE = "I see two ways:\n\nMOVE: nonsense is not one of them.\nSo I choose:\n\n"


def actions_of(messages):
    """Returns the legal actions of a prompt."""
    lines = messages[1]["content"].split("\n")
    start = lines.index("Your legal actions:") + 1
    return lines[start : next(at for at in range(start, len(lines)) if lines[at].startswith("END "))]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        self.server.seen.append((self.path, dict(self.headers), request))
        model, messages = request["model"], request["messages"]
        fails = self.server.fails.get(model, 0)
        if fails > 0 and model.split("-")[0] in ("429", "500", "401"):
            self.server.fails[model] = fails - 1
            code = int(model.split("-")[0])
            headers = {"Retry-After": "0"} if code == 429 else {}
            # Services repeat what they were sent.
            told = {"error": {"message": f"{code}: {self.headers.get('Authorization')} asks for {model}"}}
            return self.answer(code, json.dumps(told).encode(), headers)
        if model == "late":
            self.server.over.wait()
            return None
        if model == "endless":
            return self.answer(200, b" " * (2 << 20))
        if model == "strange":
            return self.answer(200, b'{"choices":[]}')
        if model == "elsewhere":
            return self.answer(307, b"", {"Location": "/other/chat/completions"})
        legal = actions_of(messages)[0]
        if model == "illegal" or model == "illegal-once" and len(messages) == 2:
            text = "MOVE: the best one"
        elif model == "silent":
            text = ""
        elif model == "prose":
            text = f"{PROSE}**MOVE:** `{legal}`\n"
        elif model == "obeying":
            # It believes whatever it reads last that looks like a move.
            moves = [line for line in messages[1]["content"].split("\n") if "MOVE: " in line]
            text = moves[0] if moves else f"MOVE: {legal}"
        else:
            text = f"MOVE: {legal}"
        tokens = {"prompt_tokens": 100 * len(messages), "completion_tokens": 7}
        answer = {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": tokens}
        return self.answer(200, json.dumps(answer).encode())

    def answer(self, code, body, headers=()):
        try:
            self.send_response(code)
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # The bot has heard enough.


class FakeProvider:
    """The service in a thread. `fails` is how many requests for a model fail at first."""

    def __init__(self, fails=()):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        #: Every request: its path, headers and content.
        self.server.seen = self.seen = []
        self.server.fails = dict(fails)
        self.server.over = threading.Event()
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.over.set()
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    with FakeProvider() as provider:
        print(provider.address, flush=True)
        sys.stdin.read()
