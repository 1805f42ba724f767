"""Attacks by records that somebody verifies or replays, by files that are none, and by files of tournaments."""

import hashlib
import json
import os
import re
import subprocess

from .ground_files import closed, lines_of, measured
from .promises import LIMIT, NO_PANIC, PIPES, REPLAYS, SIGNED, TERMINAL
from .trial import attack, steers

HOSTILE = "bad\x1b[2J\u202e\u2028\x9b31m\nplace 1: forged"


def files(promise):
    return attack("files", "a file", promise)


def first(lines, kind):
    return next(line for line in lines if line["type"] == kind)


def forged(words, sent, change):
    """An attack by a record that was changed and closed again."""

    def run(ground, trial):
        trial.sent(sent)
        lines = lines_of(ground.timed)
        change(lines)
        ground.verifies_not(trial, closed(lines))

    run.__doc__ = words
    files(REPLAYS)(run)


def other_points(lines):
    for key in ("points", "places"):
        lines[-1][key].reverse()


def illegal(lines):
    first(lines, "acts")["acts"][0]["action"] = "a1-a1"


def invented(kind):
    def change(lines):
        at = next(at for at, line in enumerate(lines) if line["type"] == "acts")
        seat = lines[at]["acts"][0]["seat"]
        detail = "did not answer in time" if kind == "late" else "an illegal action"
        evidence = {"evidence": lines[at]["acts"][0]["action"]} if kind == "illegal" else {}
        lines[at] = {"type": "fault", "seat": seat, "fault": kind, "detail": detail, "us": 1, **evidence}

    return change


def too_quick(lines):
    """A time beyond the clock that is no fault."""
    for line in lines:
        for act in line.get("acts", []):
            act["us"] = 5_000_000


forged("A record tells of another winner", "points and places exchanged, closing hash anew", other_points)
forged("A record has an illegal action", "an action that no rule allows, closing hash anew", illegal)
forged(
    "A record invents that a bot broke the rules",
    "the fault `illegal` with a line that shows none",
    invented("illegal"),
)
forged("A record invents that a bot was late", "the fault `late` with a time within the clock", invented("late"))
forged("A record hides that a bot was late", "5 s for a move of 1 s, without a fault", too_quick)


@files(REPLAYS)
def rerun(ground, trial):
    """A record has legal moves that the module did not make"""
    trial.sent("a match of `other` told as one of `first`, with a hash that fits; verify --rerun")
    lines = lines_of(ground.record)
    seats = lines[0]["seats"]
    seats[0]["sha256"], seats[1]["sha256"] = seats[1]["sha256"], seats[0]["sha256"]
    file = ground.run.write(ground.new("record.jsonl"), closed(lines))
    trial.refuses(ground.run("verify", "--rerun", file))


@files(SIGNED)
def other_signature(ground, trial):
    """The signature of another record of the same arena"""
    trial.sent("the signature of cup-1 in the record of cup-0; another key in it; a byte more behind it")
    key = json.loads(ground.signed_other.splitlines()[-1])["signature"]
    lines = ground.signed.splitlines()
    end = json.loads(lines[-1])
    wrong = dict(end, signature=key)
    ground.verifies_not(trial, "\n".join([*lines[:-1], json.dumps(wrong, separators=(",", ":"))]) + "\n")
    flipped = dict(end["signature"], key="ed25519:" + "0" * 63 + "1")
    wrong = dict(end, signature=flipped)
    ground.verifies_not(trial, "\n".join([*lines[:-1], json.dumps(wrong, separators=(",", ":"))]) + "\n")
    ground.verifies_not(trial, ground.signed + " ")


@files(SIGNED)
def weak_key(ground, trial):
    """A key of small order, for which one signature fits many texts"""
    trial.sent("key 0100…00 (the neutral point) with the signature (0100…00, 0)")
    lines = ground.signed.splitlines()
    end = json.loads(lines[-1])
    point = "01" + "00" * 31
    end["signature"] = {"key": "ed25519:" + point, "value": point + "00" * 32}
    ground.verifies_not(trial, "\n".join([*lines[:-1], json.dumps(end, separators=(",", ":"))]) + "\n")


@files(REPLAYS)
def key_twice(ground, trial):
    """A key stands twice in a line, so that two readers see two records"""
    trial.sent("every key of the first lines doubled, one at a time")
    text = ground.record
    head = text.splitlines()[0]
    tried = 0
    for key in json.loads(head):
        doubled = head.replace(f'"{key}":', f'"{key}":null,"{key}":', 1)
        if doubled != head:
            body = text.replace(head, doubled, 1).rsplit("\n", 2)[0] + "\n"
            end = {"type": "end", "sha256": hashlib.sha256(body.encode()).hexdigest()}
            ground.verifies_not(trial, body + json.dumps(end, separators=(",", ":")) + "\n")
            tried += 1
    trial.must(tried > 10, f"only {tried} keys")


@files(TERMINAL)
def words_in_record(ground, trial):
    """Names, notes and details in a record steer the terminal"""
    trial.sent(f"bots' names, versions, notes, reason and id: {HOSTILE!r}")
    lines = lines_of(ground.record)
    lines[0]["id"] = HOSTILE
    for seat in lines[0]["seats"]:
        seat["bot"] = HOSTILE
    for line in lines:
        if line["type"] == "ready":
            line["name"] = line["version"] = HOSTILE
        for act in line.get("acts", []):
            act["note"] = HOSTILE
    file = ground.run.write(ground.new("record.jsonl"), closed(lines))
    for command in (["verify", file], ["replay", file, "--plain"], ["-vv", "replay", file, "--plain"], ["debug", file]):
        done = ground.run(*command)
        text = (done.stdout + done.stderr).decode()
        trial.must(not steers(text.replace("\n", "")), f"{command[0]} steers the terminal")
        trial.must("\nplace 1: forged" not in text, f"{command[0]} prints a forged line")
    trial.came("escaped or refused")


@files(TERMINAL)
def script_in_replay(ground, trial):
    """A note in a record is a script in the page that `replay --html` makes"""
    mark = "</script><script>canary()</script><img src=x onerror=canary()>"
    trial.sent(mark)
    lines = lines_of(ground.record)
    for line in lines:
        if line["type"] == "ready":
            line["name"] = mark
        for act in line.get("acts", []):
            act["note"] = mark
    file, page = ground.run.write(ground.new("record.jsonl"), closed(lines)), ground.new("page.html")
    done = ground.run("replay", file, "--html", page)
    trial.came(f"exit {done.returncode}")
    if done.returncode == 0:
        with open(ground.run.path(page), encoding="utf-8") as text:
            text = text.read()
        trial.must("canary()" in text, "the note is not in the page")
        trial.must("<script>canary" not in text and not re.search(r"<img[^>]*canary", text), "the note is a script")
    else:
        trial.refuses(done)


@files(TERMINAL)
def formula_in_export(ground, trial):
    """A name in an export is a formula of a spreadsheet, or breaks its line"""
    trial.sent("the bot `=cmd|x!A1`, and one with a quote and a newline, to `submit`")
    for name in ("=cmd|x!A1", 'a",b\nc', "-x", "@x"):
        done = ground.run(
            "submit", "./first.wat", f"--name={name}", "--game", "flipflop-3x3", "--arena", ground.new("arena")
        )
        trial.refuses(done)


@files(LIMIT)
def endless(ground, trial):
    """A file without an end is verified, replayed, imported, restored and submitted"""
    trial.sent("/dev/zero to each command; a sparse file of 1 TiB to each")
    sparse = ground.run.path(ground.new("sparse"))
    with open(sparse, "wb") as file:
        file.truncate(1 << 40)
    for path in ("/dev/zero", sparse):
        for command in (
            ["verify", path],
            ["replay", path],
            ["import", path],
            ["restore", path],
            ["submit", path],
            ["rate", path],
            ["sprt", path],
            ["tournament", path],
        ):
            if command[0] == "tournament" and not path.endswith("sparse"):
                continue
            done = measured(ground.run, *command, "--arena", ground.new("arena"))
            trial.must(done.returncode != 0, f"{command[0]} takes it")
            # `rate` and `sprt` read results of up to 1 GiB.
            most = (1 << 30) + (256 << 20)
            trial.must(done.peak < most, f"{command[0]} took {done.peak >> 20} MiB")
            trial.must(b"panicked" not in done.stderr, f"{command[0]} panics")
    trial.came("refused")
    os.remove(sparse)


@files(PIPES)
def named_pipe(ground, trial):
    """A named pipe that nobody writes to, as a file and as a place to write to"""
    trial.sent("a FIFO to verify, replay, import, restore, submit, tournament, export --force, backup, --record")
    run = ground.run
    pipe = run.path(ground.new("pipe.toml"))
    os.mkfifo(pipe)
    commands = (
        ["verify", pipe],
        ["replay", pipe],
        ["import", pipe],
        ["restore", pipe, "--arena", ground.new("r")],
        ["submit", pipe],
        ["tournament", pipe],
        ["export", "cup", pipe, "--force"],
        ["backup", pipe, "--force"],
        ["match", "flipflop-3x3", "first", "other", "--record", pipe],
    )
    for command in commands:
        try:
            done = run(*command, seconds=60)
            trial.must(done.returncode != 0, f"{command[0]} takes it")
        except subprocess.TimeoutExpired:
            trial.must(False, f"{command[0]} blocks")
        trial.must(os.path.exists(pipe) and os.stat(pipe).st_mode & 0o170000 == 0o010000, f"{command[0]} replaced it")
    trial.came("refused, the pipe is there")


@attack("files", "a neighbour", PIPES)
def planted_link(ground, trial):
    """A neighbour has planted a symlink where an export, a backup or a record is to be written"""
    trial.sent("FILE is a symlink to a file outside; without and with --force")
    run = ground.run
    for command in (
        ["export", "cup", "@"],
        ["backup", "@"],
        ["matches", "cup-0"],
        ["match", "flipflop-3x3", "first", "other", "--record", "@"],
    ):
        link = run.path(ground.new("x.tar.zst"))
        os.symlink(os.path.join(ground.outside, "file"), link)
        if "@" in command:
            done = run(*[link if word == "@" else word for word in command])
            trial.must(done.returncode != 0, f"{command[0]} writes through it")
        ground.is_untouched(trial)
    trial.came("refused")


@files(NO_PANIC)
def deep_record(ground, trial):
    """A line of a record is nested a million times, or has 2^64 in every number"""
    trial.sent("1,000,000 brackets as options; numbers 2^64, -1, 1e400; a byte 0; half a UTF-8 letter")
    head = ground.record.splitlines()[0]
    rest = ground.record.split("\n", 1)[1]
    deep = re.sub(r'"options":\{[^}]*\}', '"options":' + "[" * 1_000_000 + "]" * 1_000_000, head)
    ground.verifies_not(trial, deep + "\n" + rest)
    for number in (str(2**64), "-1", "1e400", "NaN"):
        ground.verifies_not(trial, re.sub(r'"number":\d+', f'"number":{number}', head) + "\n" + rest)
    data = ground.record.encode()
    for place in (10, len(data) // 2):
        for byte in (b"\0", b"\xc3"):
            ground.verifies_not(trial, data[:place] + byte + data[place + 1 :])


@files(LIMIT)
def large_tournament_file(ground, trial):
    """A file of a tournament is deep, long, or names 2^32 rounds"""
    trial.sent("100,000 dotted keys; 20,000 nested lists; 64 MiB; rounds 2^64")
    base = 'game = "flipflop-3x3"\nbots = ["sample:random", "sample:greedy"]\n'
    for text in (
        base + "options." + ".".join(["a"] * 100_000) + " = 1\n",
        base + "options = " + "[" * 20_000 + "]" * 20_000 + "\n",
        base + "#" * (64 << 20),
        base + f"rounds = {2**64}\n",
        base + "rounds = 4294967295\nmatches = 1\n",
    ):
        file = ground.run.write(ground.new("cup.toml"), text)
        done = measured(ground.run, "tournament", file, "--dry-run", "--arena", ground.new("arena"))
        trial.refuses(done)
        trial.must(done.peak < 1 << 30, f"it took {done.peak >> 20} MiB")


@files(TERMINAL)
def words_in_tournament_file(ground, trial):
    """Words in a file of a tournament steer the terminal through its errors"""
    trial.sent(f"keys, names and games {HOSTILE!r}")
    quoted = json.dumps(HOSTILE)
    for text in (
        f"{quoted} = 1\n",
        f"game = {quoted}\nbots = []\n",
        f'game = "flipfour"\nbots = [{quoted}, "x"]\n',
        f'game = "flipfour"\nbots = ["sample:random", "sample:greedy"]\nname = {quoted}\n',
        'game = "flipfour\x1b[2J"\n',
        f"# {HOSTILE}\ngame = [\n",
    ):
        done = ground.run("-vv", "tournament", ground.run.write(ground.new("cup.toml"), text))
        said = trial.refuses(done)
        trial.must(not steers(said.replace("\n", "")) and "\nplace 1: forged" not in said, "the message steers")


@files(PIPES)
def secret_in_message(ground, trial):
    """The message about a file that is none of a kind tells what is in it"""
    secret = "canary-secret-of-a-file"
    trial.sent(
        "a file with a secret, to import, restore, submit, verify and rate; credentials of a worker to --credentials"
    )
    file = ground.run.write(ground.new("secret.toml"), f"{secret}\n{secret} {secret}\n")
    for command in (
        ["import", file],
        ["restore", file, "--arena", ground.new("r")],
        ["submit", file],
        ["worker", "--server", "nats://127.0.0.1:1", "--credentials", file],
    ):
        done = ground.run(*command, seconds=60)
        trial.must(done.returncode != 0, f"{command[0]} takes it")
        trial.lacks(done.stdout + done.stderr, {"a secret": secret}, command[0])
    trial.came("named, not quoted")
