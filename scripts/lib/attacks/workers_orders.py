"""Attacks by a hostile director, or by whoever can publish work, on the machine of an honest worker."""

import base64
import json
import os

from .ground_site import bot
from .ground_workers import GAME, Honest, Liar
from .promises import DIRECTORS, NAMES, NO_PANIC
from .trial import attack, waits


def workers(promise):
    return attack("workers", "a hostile director", promise)


def good_order(ground):
    """An order of a tournament of the arena, which only this script has taken."""
    if not hasattr(ground, "order"):
        arena, liar = ground.new(), Liar(ground)
        process = ground.tournament(arena, "--workers")
        ground.order = liar.take().json
        liar.end()
        process.kill()
        process.wait()
        ground.purge()
    return ground.order


class Director:
    """A director of this script, and an order that is good until it is changed."""

    def __init__(self, ground):
        self.ground, self.connection, self.run_id = ground, ground.connect("director"), os.urandom(16).hex()
        self.order = json.loads(json.dumps(good_order(ground)))
        self.order["id"] = os.urandom(16).hex()
        self.order["matches"] = self.order["matches"][:1]

    def publish(self, order):
        data = json.dumps(order) if isinstance(order, dict) else order
        subject = f"flipside.work.{self.run_id}.{self.ground.queue}"
        return self.connection.request(subject, data, 5, {"Nats-Msg-Id": os.urandom(8).hex()})

    def answer(self, seconds=20):
        """The first answer to this run; None if none comes."""

        def found():
            asked = {"seq": 1, "next_by_subj": f"flipside.results.{self.run_id}.*"}
            answer = self.connection.request("$JS.API.STREAM.MSG.GET.FLIPSIDE_RESULTS", asked)
            return answer.json.get("message") if answer else None

        message = waits(found, seconds)
        return json.loads(base64.b64decode(message["data"])) if message else None

    def end(self):
        self.connection.request(
            "$JS.API.STREAM.PURGE.FLIPSIDE_RESULTS", {"filter": f"flipside.results.{self.run_id}.*"}
        )
        self.connection.request("$JS.API.STREAM.PURGE.FLIPSIDE_WORK", {})
        self.connection.end()


def goes_on(ground, trial, worker):
    """The worker must still play a good order, and no file outside of its folder may be another one."""
    trial.must(worker.is_alive(), f"the worker ended: {worker.said()[-200:]}")
    director = Director(ground)
    director.publish(director.order)
    answer = director.answer()
    director.end()
    is_played = answer is not None and "played" in answer["matches"][0]["outcome"]
    trial.must(is_played, f"a good order afterwards: {str(answer)[:200]}")
    trial.must("panicked" not in worker.said(), "the worker panics")
    with open(ground.run.path("outside"), encoding="utf-8") as file:
        trial.must(file.read() == "canary-of-a-file-outside", "a file outside was touched")
    folder = ground.run.path(worker.folder, "bots")
    odd = [name for name in os.listdir(folder) if len(name) < 64] if os.path.isdir(folder) else []
    trial.must(not odd, f"bots/ has {odd}")
    trial.must(not os.path.exists(ground.run.path("evil")), "a file was made")


def hostile(promise, words, sent, *changes):
    """An attack by orders, each a good one after a change; a change returns what is sent in its stead, or nothing. None
    of them may be played by a worker that has no file yet."""

    def run(ground, trial):
        trial.sent(sent)
        good_order(ground)
        with Honest(ground, ground.new("folder")) as worker:
            for change in changes:
                director = Director(ground)
                instead = change(director.order)
                good = json.dumps(director.order).replace("@FOLDER@", ground.run.folder)
                director.publish(good if instead is None else instead)
                answer = director.answer(2)
                director.end()
                played = answer and [one for one in answer["matches"] if "played" in one["outcome"]]
                trial.must(not played, f"order {changes.index(change)} is played")
                void = answer and not played and answer["matches"] and answer["matches"][0]["outcome"]["void"]["reason"]
                trial.came(void or "not read")
            goes_on(ground, trial, worker)

    run.__doc__ = words
    workers(promise)(run)


def put(path, value):
    """A change of an order at a path of keys."""

    def change(order):
        place = order
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


PROGRAM, MATCH = ("programs", 0), ("matches", 0)
HASH = "ab" * 32
FILES = [
    "../../outside",
    "@FOLDER@/evil",
    "../evil",
    f"{HASH}/../../evil",
    f"{HASH}.sh",
    "sample:../../x",
    "",
    "evil\0",
    "." * 64,
    f"{HASH}\n",
]

hostile(
    NAMES,
    "An order names a file outside of the worker's folder",
    ", ".join(repr(file)[:24] for file in FILES),
    *[put((*PROGRAM, "file"), file) for file in FILES],
)
hostile(DIRECTORS, "An order lets bots run without isolation", '"trust": true', put(("trust",), True))
hostile(
    NAMES,
    "An order has another hash than its file",
    "content and sha256 exchanged for others",
    put((*PROGRAM, "content"), HASH),
    put((*PROGRAM, "sha256"), HASH),
)
hostile(
    NAMES,
    "An order names a file by what is no hash: a wildcard, or a path",
    "content = *, >, ../x, 64 zeros, a name with a space",
    *[put((*PROGRAM, "content"), value) for value in ("*", ">", "../x", "0" * 64, "a b", "")],
)
hostile(
    NO_PANIC,
    "The id of an order has line breaks, or is long",
    "id = x CR LF PUB …, 10,000 letters, empty, a number",
    *[put(("id",), value) for value in ("x\r\nPUB a 0", "x" * 10_000, "", 5, "A" * 32)],
)
hostile(
    NO_PANIC,
    "An order is no JSON, deep, or has what no order has",
    "100,000 brackets, bytes, null, fields, keys twice",
    lambda order: b"[" * 100_000,
    lambda order: bytes(range(256)),
    lambda order: b"null",
    lambda order: order.update(evil=1),
    lambda order: b"",
    lambda order: json.dumps(order).replace('"trust"', '"trust": true, "trust"', 1).encode(),
)
hostile(
    NO_PANIC,
    "A match of an order is none",
    "game, options, seats, programs and seeds that are not there",
    put((*MATCH, "game"), "../x"),
    put((*MATCH, "options"), {"x": 1}),
    put((*MATCH, "seats"), []),
    put((*MATCH, "seed"), "x"),
    put((*MATCH, "seats", 0, "program"), 10**9),
    put((*MATCH, "clock"), "move=-1s"),
    put((*MATCH, "seats", 0, "program"), -1),
    lambda order: order["matches"][0].update(seats=order["matches"][0]["seats"] * 200),
)


@workers(NO_PANIC)
def many_matches(ground, trial):
    """An order has thousands of matches of programs that are not there"""
    trial.sent("as many matches as fit into a message, each without programs")
    good_order(ground)
    with Honest(ground) as worker:
        director = Director(ground)
        one = json.dumps(dict(director.order["matches"][0], seats=[]))
        director.order["programs"] = []
        order = json.dumps(dict(director.order, matches=[]))[:-2] + ",".join([one] * 2500) + "]}"
        director.publish(order)
        trial.came(str(director.answer(10))[:60])
        director.end()
        goes_on(ground, trial, worker)


@workers(NAMES)
def planted_file(ground, trial):
    """An order stores a file under the name of the bot of another director, which plays it from then on"""
    trial.sent("the first program under the file name of the second; then a good order with both")
    good_order(ground)
    with Honest(ground, ground.new("folder")) as worker:
        director = Director(ground)
        programs = director.order["programs"]
        programs[0]["file"] = programs[1]["file"]
        director.publish(director.order)
        director.answer(10)
        director.end()
        good = Director(ground)
        good.publish(good.order)
        answer = good.answer()
        good.end()
        outcome = answer["matches"][0]["outcome"] if answer else {}
        index = good.order["matches"][0]["index"]
        trial.must(
            outcome.get("played", {}).get("record") == ground.truth[index], f"another bot plays: {str(outcome)[:80]}"
        )
        trial.came("the true record")
        goes_on(ground, trial, worker)


@workers(NAMES)
def hostile_object(ground, trial):
    """The server describes the file of a bot with a wildcard, exabytes, or a billion chunks"""
    trial.sent("descriptions in the bucket of files with nuid * and >, size 2^63 and 2^40, chunks 2^40")
    good_order(ground)
    with Honest(ground, ground.new("folder")) as worker:
        for about in (
            {"nuid": "*", "size": 10, "chunks": 1},
            {"nuid": ">", "size": 10, "chunks": 1},
            {"nuid": "a", "size": 2**63, "chunks": 1},
            {"nuid": "a", "size": 250 << 20, "chunks": 2**40},
            {"nuid": "a", "size": 2**40, "chunks": 1},
        ):
            director, name = Director(ground), os.urandom(32).hex()
            encoded = base64.urlsafe_b64encode(name.encode()).decode()
            director.connection.request(
                f"$O.flipside-files.M.{encoded}", {"name": name, "bucket": "flipside-files", "digest": "x", **about}, 3
            )
            director.order["programs"][0]["content"] = name
            director.publish(director.order)
            answer = director.answer(2)
            trial.must(not answer or "void" in answer["matches"][0]["outcome"], "it is played")
            with open(f"/proc/{worker.process.pid}/status", encoding="utf-8") as status:
                memory = next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmRSS"))
            trial.must(memory < 1024, f"the worker has {memory} MiB")
            director.end()
        trial.came("given back")
        goes_on(ground, trial, worker)


LOOKS = """    for file in @PATHS@; do if [ -r "$file" ]; then echo "READ $file" >&2; head -c 60 "$file" >&2; fi; done
    (echo x > @MARK@) 2>/dev/null && echo WRITTEN >&2
    ls @FOLDER@ >&2 2>/dev/null
    echo LOOKED >&2; exit 3
"""


@workers(DIRECTORS)
def looks_around(ground, trial):
    """A bot that a director sends reads the key of the worker, and writes outside"""
    run = ground.run
    with open(run.path("worker-1.key"), encoding="utf-8") as file:
        seed = file.read().strip()
    paths = " ".join(
        [run.path("worker-1.key"), run.path("director.key"), run.path("outside"), run.path("first", "journal.sqlite")]
    )
    text = bot(LOOKS.replace("@PATHS@", paths).replace("@MARK@", run.path("evil")).replace("@FOLDER@", run.folder))
    run.write("looks", text, 0o755)
    trial.sent("a script that opens worker-1.key, director.key and a file outside, and tells what it reads in stderr")
    arena = ground.new()
    command = [
        run.program,
        "tournament",
        GAME,
        "./looks",
        "./first.wat",
        "--name",
        "looking",
        "--arena",
        arena,
        "--workers",
        ground.server,
        "--credentials",
        "director.key",
    ]
    with Honest(ground) as worker:
        done = run(*command[1:], seconds=120)
        trial.must(done.returncode == 0, f"the tournament fails: {done.stderr.decode()[-200:]}")
        record = run.ok("matches", "looking-0", "--arena", arena)
        trial.must("LOOKED" in record, "the bot did not look")
        trial.lacks(
            record,
            {
                "a seed": seed[:20],
                "a file that it read": "READ ",
                "a file that it wrote": "WRITTEN",
                "a folder": "director.key",
            },
            "the record",
        )
        trial.must(not os.path.exists(run.path("evil")), "a file was made")
        trial.must(worker.is_alive(), "the worker ended")
    trial.came("it saw none of them")


@workers(DIRECTORS)
def neighbour_of_worker(ground, trial):
    """A neighbour on the machine of a worker reads its key, or the bots that it keeps"""
    trial.sent("the modes of the key, of the folder with bots, of the journal")
    for path, most in (
        ("worker-1.key", 0o600),
        ("director.key", 0o600),
        ("folder-worker-1/bots", 0o700),
        ("first/journal.sqlite", 0o600),
    ):
        mode = os.stat(ground.run.path(path)).st_mode & 0o777
        trial.came(f"{path}: {mode:o}")
        trial.must(mode & ~most == 0, f"{path} has mode {mode:o}")
