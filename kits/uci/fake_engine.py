#!/usr/bin/env python3
"""A UCI engine for tests: it knows one short match.

Its argument is what it does wrong. It adds what it reads to the file FAKE_ENGINE_LOG, if that is set.
"""

import os
import signal
import sys

#: The fool's mate, ply by ply.
MOVES = ["f2f3", "e7e5", "g2g4", "d8h4"]

OPTIONS = """\
option name Hash type spin default 16 min 1 max 1024
option name Threads type spin default 2 min 1 max 8
option name Ponder type check default true
option name Skill Level type combo default High var Very Low var High
option name Book File type string default <empty>
option name Clear Hash type button"""


def say(text):
    print(text, flush=True)


def log(text):
    path = os.environ.get("FAKE_ENGINE_LOG")
    if path is not None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text + "\n")


def main():
    wrong = sys.argv[1] if len(sys.argv) > 1 else ""
    ply = 0
    for line in sys.stdin:
        words = line.split()
        log(" ".join(words))
        if words == ["quit"]:
            break
        if words == ["uci"] and wrong != "deaf":
            say(f"id name Fake\nid author nobody\n\n{OPTIONS}\nuciok")
        elif words == ["isready"]:
            say("readyok")
        elif words[0] == "position":
            ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif words[0] == "go":
            answer(wrong, ply)
        elif words == ["stop"] and wrong == "slow":
            say(f"bestmove {MOVES[ply]}")
    log("the end")


def answer(wrong, ply):
    if wrong == "dies":
        sys.exit(7)
    elif wrong == "crashes":
        os.kill(os.getpid(), signal.SIGKILL)
    elif wrong == "illegal":
        say("bestmove e2e5")
    elif wrong == "blind":
        say("bestmove (none)")
    elif wrong == "endless":
        try:
            os.write(1, b"x" * (1 << 20))
        except BrokenPipeError:
            pass
    elif wrong not in ("silent", "slow"):
        say(f"info depth 3 currmove {MOVES[ply]} currmovenumber 1")
        say(f"info depth 2 seldepth 4 multipv 1 score cp 35 nodes 81 nps 9 pv {' '.join(MOVES[ply:])}")
        say("info string score cp 99 pv none")
        say(f"bestmove {MOVES[ply]} ponder a2a3")


if __name__ == "__main__":
    main()
