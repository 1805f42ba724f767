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


def good_job(ground):
    """A job of a tournament of the arena, which only this script has taken."""
    if not hasattr(ground, "job"):
        arena, liar = ground.new(), Liar(ground)
        process = ground.tournament(arena, "--workers")
        ground.job = liar.take().json
        liar.end()
        process.kill()
        process.wait()
        ground.purge()
    return ground.job


class Director:
    """A director of this script, and a job that is good until it is changed."""

    def __init__(self, ground):
        self.ground, self.connection, self.run_id = ground, ground.connect("director"), os.urandom(16).hex()
        self.job = json.loads(json.dumps(good_job(ground)))
        self.job["id"] = os.urandom(16).hex()
        self.job["matches"] = self.job["matches"][:1]

    def publish(self, job):
        data = json.dumps(job) if isinstance(job, dict) else job
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
    """The worker must still play a good job, and no file outside of its folder may be another one."""
    trial.must(worker.is_alive(), f"the worker ended: {worker.said()[-200:]}")
    director = Director(ground)
    director.publish(director.job)
    answer = director.answer()
    director.end()
    is_played = answer is not None and "played" in answer["matches"][0]["outcome"]
    trial.must(is_played, f"a good job afterwards: {str(answer)[:200]}")
    trial.must("panicked" not in worker.said(), "the worker panics")
    with open(ground.run.path("outside"), encoding="utf-8") as file:
        trial.must(file.read() == "canary-of-a-file-outside", "a file outside was touched")
    folder = ground.run.path(worker.folder, "bots")
    odd = [name for name in os.listdir(folder) if len(name) < 64] if os.path.isdir(folder) else []
    trial.must(not odd, f"bots/ has {odd}")
    trial.must(not os.path.exists(ground.run.path("evil")), "a file was made")


def hostile(promise, words, sent, *changes):
    """An attack by jobs, each a good one after a change; a change returns what is sent in its stead, or nothing. None
    of them may be played by a worker that has no file yet."""

    def run(ground, trial):
        trial.sent(sent)
        good_job(ground)
        with Honest(ground, ground.new("folder")) as worker:
            for change in changes:
                director = Director(ground)
                instead = change(director.job)
                good = json.dumps(director.job).replace("@FOLDER@", ground.run.folder)
                director.publish(good if instead is None else instead)
                answer = director.answer(2)
                director.end()
                played = answer and [one for one in answer["matches"] if "played" in one["outcome"]]
                trial.must(not played, f"job {changes.index(change)} is played")
                void = answer and not played and answer["matches"] and answer["matches"][0]["outcome"]["void"]["reason"]
                trial.came(void or "not read")
            goes_on(ground, trial, worker)

    run.__doc__ = words
    workers(promise)(run)


def put(path, value):
    """A change of a job at a path of keys."""

    def change(job):
        place = job
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
    "A job names a file outside of the worker's folder",
    ", ".join(repr(file)[:24] for file in FILES),
    *[put((*PROGRAM, "file"), file) for file in FILES],
)
hostile(DIRECTORS, "A job lets bots run without isolation", '"trust": true', put(("trust",), True))
hostile(
    NAMES,
    "A job has another hash than its file",
    "content and sha256 exchanged for others",
    put((*PROGRAM, "content"), HASH),
    put((*PROGRAM, "sha256"), HASH),
)
hostile(
    NAMES,
    "A job names a file by what is no hash: a wildcard, or a path",
    "content = *, >, ../x, 64 zeros, a name with a space",
    *[put((*PROGRAM, "content"), value) for value in ("*", ">", "../x", "0" * 64, "a b", "")],
)
hostile(
    NO_PANIC,
    "The id of a job has line breaks, or is long",
    "id = x CR LF PUB …, 10,000 letters, empty, a number",
    *[put(("id",), value) for value in ("x\r\nPUB a 0", "x" * 10_000, "", 5, "A" * 32)],
)
hostile(
    NO_PANIC,
    "A job is no JSON, deep, or has what no job has",
    "100,000 brackets, bytes, null, fields, keys twice",
    lambda job: b"[" * 100_000,
    lambda job: bytes(range(256)),
    lambda job: b"null",
    lambda job: job.update(evil=1),
    lambda job: b"",
    lambda job: json.dumps(job).replace('"trust"', '"trust": true, "trust"', 1).encode(),
)
hostile(
    NO_PANIC,
    "A match of a job is none",
    "game, options, seats, programs and seeds that are not there",
    put((*MATCH, "game"), "../x"),
    put((*MATCH, "options"), {"x": 1}),
    put((*MATCH, "seats"), []),
    put((*MATCH, "seed"), "x"),
    put((*MATCH, "seats", 0, "program"), 10**9),
    put((*MATCH, "clock"), "move=-1s"),
    put((*MATCH, "seats", 0, "program"), -1),
    lambda job: job["matches"][0].update(seats=job["matches"][0]["seats"] * 200),
)


@workers(NO_PANIC)
def many_matches(ground, trial):
    """A job has thousands of matches of programs that are not there"""
    trial.sent("as many matches as fit into a message, each without programs")
    good_job(ground)
    with Honest(ground) as worker:
        director = Director(ground)
        one = json.dumps(dict(director.job["matches"][0], seats=[]))
        director.job["programs"] = []
        job = json.dumps(dict(director.job, matches=[]))[:-2] + ",".join([one] * 2500) + "]}"
        director.publish(job)
        trial.came(str(director.answer(10))[:60])
        director.end()
        goes_on(ground, trial, worker)


@workers(NAMES)
def planted_file(ground, trial):
    """A job stores a file under the name of the bot of another director, which plays it from then on"""
    trial.sent("the first program under the file name of the second; then a good job with both")
    good_job(ground)
    with Honest(ground, ground.new("folder")) as worker:
        director = Director(ground)
        programs = director.job["programs"]
        programs[0]["file"] = programs[1]["file"]
        director.publish(director.job)
        director.answer(10)
        director.end()
        good = Director(ground)
        good.publish(good.job)
        answer = good.answer()
        good.end()
        outcome = answer["matches"][0]["outcome"] if answer else {}
        index = good.job["matches"][0]["index"]
        trial.must(
            outcome.get("played", {}).get("record") == ground.truth[index], f"another bot plays: {str(outcome)[:80]}"
        )
        trial.came("the true record")
        goes_on(ground, trial, worker)


@workers(NAMES)
def hostile_object(ground, trial):
    """The server describes the file of a bot with a wildcard, exabytes, or a billion chunks"""
    trial.sent("descriptions in the bucket of files with nuid * and >, size 2^63 and 2^40, chunks 2^40")
    good_job(ground)
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
            director.job["programs"][0]["content"] = name
            director.publish(director.job)
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
