"""The ground of attacks on the site: an arena that is served on loopback, an organiser, authors with bots, a tournament
that is over and quotes a bot's standard error, one with hidden cards that is being played, and the secrets of all."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from servers import ROOT, begin, write_bots  # noqa: E402

from .trial import Command, waits  # noqa: E402
from .web import Listener, Visitor  # noqa: E402

GAME = "flipflop-3x3"
# What only ada may read.
STDERR, IN_FILE = "canary-stderr-5dd1", "canary-file-91ab"


def bot(extra="", mark=""):
    """A shell bot that plays any game at random, with other words in its loop."""
    with open(os.path.join(ROOT, "sample-bots", "shell", "random.sh"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace('\'{"type":"hello"\'*)', '\'{"type":"hello"\'*)\n' + extra, 1)
    return text + f"# {mark}\n"


CRASHES = f"""    case $line in *'"match":"stderrcup-'*) echo '{STDERR}' >&2; exit 3 ;; esac
"""
SLOW = """    case $line in *'"match":"hidden-'*) slow=1 ;; esac
"""


class Served:
    """A site on loopback with its log."""

    def __init__(self, run, arena, *more):
        self.run, self.arena = run, arena
        self.log = run.path(f"{arena}.log")
        with open(self.log, "ab") as log:
            command = [run.program, "serve", "--arena", arena, "--listen", "127.0.0.1:0", "-vv", *more]
            self.process = begin(command, cwd=run.folder, stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline().decode()
        if not line:
            raise RuntimeError(f"the site does not start: {self.said()[-1000:]}")
        self.port = int(re.search(r":(\d+)/", line)[1])

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def is_alive(self):
        if self.process.poll() is not None:
            return False
        return Visitor(self.port, None).get("/healthz").status == 200

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except Exception:  # noqa: BLE001: it is told to end once more, in the end by force.
            self.process.kill()
            return self.process.wait()


class Site:
    """A site behind a proxy, so that each attacker has an address of its own, and all that is in it."""

    def __init__(self, options, folder):
        self.run = Command(options.flipside, os.path.join(folder, "site"))
        run = self.run
        run.write("outside", "canary-of-a-file-outside")
        write_bots(run.folder)
        run.ok("tournament", GAME, "./first.wat", "./other.wat", "--rounds", "2", "--name", "old", "--no-affinity")
        run.ok("keygen")
        self.secrets, self.addresses = {}, 0
        self.served = Served(run, "arena", "--behind-proxy")
        self.port = self.served.port
        self.stranger = self.visitor()
        self.olga = self.account("olga", self.invite("--organiser"))
        link = self.invite("--uses", "20")
        self.ada, self.bob = self.account("ada", link), self.account("bob", link)
        self.mallory, self.link = self.account("mallory", link), link
        self.listener = Listener()
        hook = self.olga.api("POST", "/webhooks", {"url": f"http://127.0.0.1:{self.listener.port}/hook"})
        self.secrets["the key of a webhook"] = hook.json["secret"]
        self.hook = hook.json["webhook"]
        self.upload_bots()
        self.play()

    def visitor(self, **more):
        """Somebody at an address that nobody has had."""
        self.addresses += 1
        return Visitor(self.port, f"198.51.{self.addresses // 250}.{self.addresses % 250 + 1}", **more)

    def invite(self, *more):
        path = self.run.ok("invite", *more).strip()
        self.secrets[f"the invitation {len(self.secrets)}"] = path.rsplit("/", 1)[1]
        return path

    def account(self, name, link):
        visitor = self.visitor(name=name)
        answer = visitor.form(link, name=name)
        found = re.search(r"flipside_[0-9a-f]{64}", answer.text)
        if not found:
            raise RuntimeError(f"no account {name}: {answer.status} {answer.detail}")
        visitor.token = found[0]
        self.secrets[f"the token of {name}"] = visitor.token
        self.secrets[f"a session of {name}"] = re.search(r"flipside=([0-9a-f]{64})", answer.header("set-cookie"))[1]
        return visitor

    def accepted(self, owner, name, data, game=GAME):
        """Uploads a bot, and waits until its check is over; returns the upload."""
        answer = owner.put_bot(name, data, game)
        if answer.status != 202:
            raise RuntimeError(f"the upload of {name}: {answer.status} {answer.detail}")
        return self.checked(owner, answer.json["upload"])

    def checked(self, owner, number):
        def is_over():
            upload = owner.api("GET", f"/uploads/{number}").json
            return upload if upload["state"] in ("accepted", "refused", "failed") else None

        found = waits(is_over, 300)
        if not found:
            raise RuntimeError(f"the check of upload {number} does not end")
        return found

    def upload_bots(self):
        slow = bot(SLOW).replace("    # Count the texts", '    [ -z "$slow" ] || sleep 0.05\n    # Count the texts')
        for owner, name, data, game in (
            (self.ada, "adabot", bot(CRASHES, IN_FILE), GAME),
            (self.bob, "bobbot", bot(mark="bob"), GAME),
            (self.ada, "adaslow", slow, "phase10-flip"),
        ):
            upload = self.accepted(owner, name, data, game)
            if upload["state"] != "accepted":
                raise RuntimeError(f"{name} is {upload['state']}: {json.dumps(upload)[:800]}")
            if name == "adabot":
                self.upload = upload["upload"]

    def play(self):
        """Plays the tournament whose records quote ada's bot, and begins the one with hidden cards."""
        self.begin("stderrcup", GAME, ["adabot", "bobbot"], 1)
        self.must(lambda: self.stranger.api("GET", "/tournaments/stderrcup/standings").json["over"])
        self.begin("hidden", "phase10-flip", ["adaslow", "sample:greedy"], 500, options={"max_rounds": 2})
        self.must(lambda: self.stranger.api("GET", "/matches?tournament=hidden").json["items"])
        settings = self.rows("SELECT settings FROM tournaments WHERE name = 'hidden'")[0][0]
        self.hidden = {"the salt of a tournament that is played": json.loads(settings)["salt"]}

    @staticmethod
    def must(until):
        if not waits(until, 300):
            raise RuntimeError("what the attacks need does not come")

    def begin(self, name, game, bots, rounds, **more):
        asked = {"name": name, "game": game, "bots": bots, "rounds": rounds, **more}
        answer = self.olga.api("POST", "/tournaments", asked)
        if answer.status != 201:
            raise RuntimeError(f"{name}: {answer.status} {answer.detail}")

    def play_now(self, name, game, bots, rounds, **more):
        """Plays a tournament to its end, before the one with hidden cards."""
        self.olga.api("POST", "/tournaments/hidden/pause")
        self.begin(name, game, bots, rounds, **more)
        self.must(lambda: self.stranger.api("GET", f"/tournaments/{name}/standings").json["over"])
        self.olga.api("POST", "/tournaments/hidden/resume")

    def rows(self, query):
        """Rows of the journal, as only its owner can read them."""
        journal = sqlite3.connect(f"file:{self.run.path('arena', 'journal.sqlite')}?mode=ro", uri=True)
        try:
            return journal.execute(query).fetchall()
        finally:
            journal.close()

    def end(self, note):
        """What must be so after all attacks."""
        note(self.served.is_alive(), "site: the server still answers")
        self.olga.api("POST", "/tournaments/hidden/cancel", {"reason": "the end"})
        status = self.served.end()
        note(status == 0, f"site: it stops when it is told to (exit {status})")
        said = self.served.said()
        told = [name for name, secret in {**self.secrets, **self.hidden}.items() if secret in said]
        note(not told, f"site: no secret is in the log of -vv {told or ''}")
        note("panicked" not in said, "site: no panic is in the log")
        note(self.run("verify", "--all").returncode == 0, "site: `flipside verify --all` passes")
        with open(self.run.path("outside"), encoding="utf-8") as file:
            note(file.read() == "canary-of-a-file-outside", "site: a file beside the arena is untouched")
        self.listener.end()


def crawl(visitor, begin=("/",), most=400):
    """All pages that can be reached, with their addresses."""
    seen, queue, pages = set(begin), list(begin), {}
    while queue and len(pages) < most:
        path = queue.pop(0)
        answer = visitor.get(path)
        pages[path] = answer
        if not (answer.header("content-type") or "").startswith("text/html"):
            continue
        for link in re.findall(r'(?:href|src|data-[a-z]+)="(/[^"#]*)"', answer.text):
            link = link.replace("&amp;", "&")
            if (
                link not in seen
                and not link.endswith(("/boards", "/pieces"))
                and not link.startswith(("/guides/", "/assets/", "/live", "/games/"))
            ):
                seen.add(link)
                queue.append(link)
    return pages


def elapsed(call):
    began = time.monotonic()
    found = call()
    return found, time.monotonic() - began
