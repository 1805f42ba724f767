"""What an attack is: a function that is named by its docstring, with the promise that it tests, and says what it sent,
what came, and what had to come. No result is written here: an attack that checks nothing does not count as held."""

import contextlib
import os
import re
import shutil
import subprocess
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
SECURITY = os.path.join(HERE, "..", "..", "..", "SECURITY.md")
# How long a command may take that is given hostile files.
MOST_SECONDS = 120
ALL = []


class Attack:
    """One attack of a campaign: `site`, `workers` or `files`."""

    def __init__(self, campaign, who, promise, run):
        self.campaign, self.who, self.promise, self.run = campaign, who, promise, run
        self.name = " ".join(run.__doc__.split()).rstrip(".")


def attack(campaign, who, promise):
    """Makes an attack of a function that takes the ground and a trial; `promise` is a part of SECURITY.md."""

    def made(run):
        ALL.append(Attack(campaign, who, promise, run))
        return run

    return made


def plain(text):
    return " ".join(text.split())


def unknown_promises():
    """The promises that are not in SECURITY.md, so that neither changes alone."""
    with open(SECURITY, encoding="utf-8") as file:
        text = plain(file.read())
    return [one for one in ALL if plain(one.promise) not in text]


class Trial:
    """What came of one attack."""

    def __init__(self):
        self.what, self.answers, self.broken, self.checks = [], [], [], 0

    def sent(self, text):
        self.what.append(str(text))

    def came(self, text):
        self.answers.append(str(text))

    def must(self, is_so, words):
        """Notes that something must be so, and returns whether it is."""
        self.checks += 1
        if not is_so:
            self.broken.append(words)
        return is_so

    def gets(self, answer, *statuses, words=""):
        """An answer of the site must have one of these statuses."""
        self.came(answer.status)
        wanted = " or ".join(map(str, statuses))
        return self.must(answer.status in statuses, f"{words or 'the answer'}: {answer.status}, not {wanted}")

    def lacks(self, text, secrets, where):
        """None of these secrets may be in a text or in bytes."""
        text = text.encode(errors="surrogateescape") if isinstance(text, str) else text
        for name, secret in secrets.items():
            secret = secret.encode() if isinstance(secret, str) else secret
            self.must(secret not in text, f"{where} holds {name}")

    def refuses(self, run, *words):
        """A command must fail as for bad input: with a message, and without a panic or a signal."""
        said = (run.stdout + run.stderr).decode(errors="replace")
        last = [line for line in said.splitlines() if line.startswith("error") or ": " in line] or [said[-200:]]
        errors = [line for line in last if line.startswith("error")] or last
        self.came(f"exit {run.returncode}: {errors[0][:100]}")
        self.must(run.returncode in (1, 2), f"exit status {run.returncode}")
        self.must("panicked" not in said, "it panics")
        self.must("Usage:" not in said, "the command line is not understood")
        for word in words:
            self.must(word in said, f"{word!r} is not in the message")
        return said

    @property
    def has_held(self):
        return self.checks > 0 and not self.broken


def run_one(ground, one):
    trial = Trial()
    try:
        one.run(ground, trial)
    except Exception as error:  # noqa: BLE001: whatever an attack meets, the others run, too.
        place = traceback.extract_tb(error.__traceback__)[-1]
        trial.broken.append(f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})")
    if not trial.checks and not trial.broken:
        trial.broken.append("the attack checks nothing")
    return trial


def cell(texts, most):
    """Texts as a cell of a table: one line, without what a terminal or Markdown would take for its own."""
    text = plain("; ".join(dict.fromkeys(texts)))
    text = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text)
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text.replace("|", "\\|").replace("<", "&lt;")


def waits(until, seconds=30, pause=0.1):
    """Waits until something is so, and returns it, or the last that it was."""
    end = time.monotonic() + seconds
    while True:
        found = until()
        if found or time.monotonic() > end:
            return found
        time.sleep(pause)


class Command:
    """The command under attack, in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(folder, exist_ok=True)

    def __call__(self, *args, stdin=b"", env=None, seconds=MOST_SECONDS, folder=None):
        env = {**os.environ, **(env or {})}
        env.pop("FLIPSIDE_ARENA", None)
        done = subprocess.run(
            [self.program, *args],
            cwd=folder or self.folder,
            input=stdin,
            capture_output=True,
            env=env,
            timeout=seconds,
            check=False,
        )
        return done

    def ok(self, *args, **more):
        done = self(*args, **more)
        if done.returncode != 0:
            raise RuntimeError(f"flipside {' '.join(args)}: {done.stderr.decode(errors='replace')[-1500:]}")
        return done.stdout.decode()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data.encode() if isinstance(data, str) else data)
        os.chmod(path, mode)
        return path


def packed(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def unpacked(path):
    return subprocess.run(["zstd", "-q", "-d", "-c", path], capture_output=True, check=True).stdout


def tree(folder):
    """All files below a folder, with their sizes and modes: what is left behind can be told from it."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                about = os.lstat(path)
                found[os.path.relpath(path, folder)] = (about.st_mode, about.st_size)
    return found


def steers(text):
    """Whether a text holds what steers a terminal or turns the direction of reading."""
    return re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\U000e0000-\U000e007f]", text)


def without(path):
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(path)
