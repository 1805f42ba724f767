"""Attacks by a worker with credentials on a tournament: answers that are none, false records, and claims. Each time, an
honest worker plays the rest, and the tournament must be as one that was played on one machine alone."""

import base64
import hashlib
import json
import os
import signal
import time

from .ground_files import closed, lines_of
from .ground_workers import Honest, Liar
from .promises import NONSENSE, TERMINAL, VERIFIED
from .trial import attack, steers, waits


def workers(promise):
    return attack("workers", "a worker", promise)


def hostile(ground, trial, answers, jobs=1, more=()):
    """Plays a tournament in which a worker takes so many jobs and answers each in some way; without a number, until
    none comes for five seconds. Then an honest one comes. Returns what the tournament said."""
    ground.purge()
    arena, liar = ground.new(), Liar(ground)
    process = ground.tournament(arena, "--workers", *more)
    try:
        for _ in range(jobs or 100):
            message = liar.take(5, must=False) if jobs is None else liar.take()
            if message is None:
                break
            answers(liar, message)
        with Honest(ground):
            said = ground.ends(process, arena)
    finally:
        liar.end()
        if process.poll() is None:
            process.kill()
            process.wait()
    trial.must(ground.table(arena) == ground.rows, "the table is another one")
    trial.must(ground.run("verify", "--all", "--rerun", "--arena", arena).returncode == 0, "the arena does not verify")
    trial.must("panicked" not in said, "the director panics")
    told = [line for line in said.splitlines() if "worker-2" in line]
    trial.came(told[-1][-110:] if told else "ignored; the table is the true one")
    return said


def answered_with(words, sent, data):
    """An attack by an answer of these bytes."""

    def run(ground, trial):
        trial.sent(sent)
        hostile(
            ground, trial, lambda liar, message: liar.answer(message, data(message.json) if callable(data) else data)
        )

    run.__doc__ = words
    workers(NONSENSE)(run)


answered_with("An answer is no JSON", "bytes 0 to 255", bytes(range(256)))
answered_with("An answer is nested a hundred thousand times", "100,000 brackets", b'{"id":' + b"[" * 100_000)
answered_with(
    "An answer has fields that are not there, or keys twice",
    '{"id":…,"id":…,"trust":true}',
    lambda job: json.dumps({"id": job["id"], "matches": [], "trust": True}).replace("{", '{"id":"x",', 1),
)
answered_with("An answer leaves all matches out", '"matches": []', lambda job: {"id": job["id"], "matches": []})


@workers(VERIFIED)
def other_matches(ground, trial):
    """An answer has matches that were not ordered, the same twice, and numbers that are none"""
    trial.sent("index 10^6, 2^64 - 1; each match twice; the records of other matches")

    def answers(liar, message):
        truth = liar.truth(message.json)
        extra = [{"index": index, "outcome": {"played": liar.played(0)}} for index in (10**6, 2**64 - 1)]
        shifted = [
            {"index": one["index"], "outcome": {"played": liar.played((one["index"] + 2) % len(ground.truth))}}
            for one in truth["matches"]
        ]
        liar.answer(message, {"id": truth["id"], "matches": extra + shifted + truth["matches"]})

    hostile(ground, trial, answers)


def changed_record(words, sent, change):
    """An attack by the true records after a change, with closing hashes that fit."""

    def run(ground, trial):
        trial.sent(sent)

        def answers(liar, message):
            answer = liar.truth(message.json)
            for one in answer["matches"]:
                played = one["outcome"]["played"]
                lines = lines_of(played["record"])
                change(lines)
                played["record"] = closed(lines)
            liar.answer(message, answer)

        said = hostile(ground, trial, answers)
        trial.must("banned" in said, "the worker is not banned")

    run.__doc__ = words
    workers(VERIFIED)(run)


def other_winner(lines):
    for key in ("points", "places"):
        lines[-1][key].reverse()


def other_seed(lines):
    seed = bytes(range(32))
    lines[-1]["seed"] = seed.hex()
    digest = hashlib.sha256(b"flipside match commitment\0" + seed + lines[0]["number"].to_bytes(8, "little"))
    lines[0]["commitment"] = digest.hexdigest()


def other_bot(lines):
    lines[0]["seats"][0]["sha256"], lines[0]["seats"][1]["sha256"] = (
        seat["sha256"] for seat in reversed(lines[0]["seats"])
    )


def illegal(lines):
    next(line for line in lines if line["type"] == "acts")["acts"][0]["action"] = "a1-a1"


def isolation(lines):
    lines[0]["isolation"] = "trust"


changed_record("A record tells of another winner", "points and places exchanged", other_winner)
changed_record("A record has a seed of the worker's choice", "over.seed and commitment replaced", other_seed)
changed_record("A record tells that other files played", "SHA-256 of the two bots exchanged", other_bot)
changed_record("A record has an illegal action", "an action that no rule allows", illegal)


@workers(VERIFIED)
def late_lie(ground, trial):
    """A worker invents that the opponent of its friend was late in every match"""
    trial.sent("the fault `late` in the place of the first action, with the times of a late bot; audits of 100 %")

    def answers(liar, message):
        answer = liar.truth(message.json)
        for one in answer["matches"]:
            lines = lines_of(one["outcome"]["played"]["record"])
            at = next(at for at, line in enumerate(lines) if line["type"] == "acts")
            seat = lines[at]["acts"][0]["seat"]
            over = lines[-1]
            over.update(
                reason="fault",
                points=[int(seat != 0), int(seat != 1)],
                places=[2 - int(seat != 0), 2 - int(seat != 1)],
                plies=0,
            )
            fault = {
                "type": "fault",
                "seat": seat,
                "fault": "late",
                "detail": "did not answer in time",
                "us": 5_200_000,
                "fuel": 1_000_000_001,
            }
            one["outcome"]["played"]["record"] = closed([*lines[:at], fault, over])
        liar.answer(message, answer)

    hostile(ground, trial, answers, more=["--audit", "100%"])


@workers(NONSENSE)
def cannot_play(ground, trial):
    """A worker claims that it cannot play, in every job that it gets, until it counts as gone"""
    trial.sent('"void" for every match of twelve jobs')

    def answers(liar, message):
        job = message.json
        matches = [{"index": one["index"], "outcome": {"void": {"reason": "no"}}} for one in job["matches"]]
        liar.answer(message, {"id": job["id"], "matches": matches})

    said = hostile(ground, trial, answers, jobs=12)
    trial.must("nothing of the worker worker-2 counts" in said, "it still counts after twelve jobs")


@workers(NONSENSE)
def cannot_start(ground, trial):
    """A worker claims that bots cannot be started that it has started before"""
    trial.sent('the truth for one job; then "void" with seat 0, and with seat 200, for every match of four')
    taken = []

    def answers(liar, message):
        job = message.json
        if not taken:
            liar.answer(message, liar.truth(job))
        else:
            void = {"void": {"reason": "not here", "seat": 200 if len(taken) == 1 else 0}}
            liar.answer(
                message,
                {"id": job["id"], "matches": [{"index": one["index"], "outcome": void} for one in job["matches"]]},
            )
        taken.append(job["id"])

    said = hostile(ground, trial, answers, jobs=5)
    trial.must("is withdrawn" not in said, "a bot is withdrawn")


@workers(NONSENSE)
def cannot_start_first(ground, trial):
    """A worker claims that a bot cannot be started before anybody has played, and an honest worker could start it"""
    trial.sent('"void" with seat 0 for every match that comes, also again, while another worker is there')

    def answers(liar, message):
        job = message.json
        void = {"void": {"reason": "not here", "seat": 0}}
        matches = [{"index": one["index"], "outcome": void} for one in job["matches"]]
        liar.answer(message, {"id": job["id"], "matches": matches})

    # The director knows of an honest worker, which only is not as quick.
    present = ground.connect("worker-1")
    about = {"flipside": ground.queue.replace("-", "."), "class": "x", "threads": 2}
    present.request("$KV.flipside-workers.worker-1", about, 3)
    present.end()
    said = hostile(ground, trial, answers, jobs=None)
    trial.must("is withdrawn" not in said, "a bot is withdrawn")


@workers(TERMINAL)
def words_of_worker(ground, trial):
    """Reasons, hints, lines and stderr of a worker steer the terminal and the tables of the arena"""
    words = "bad\x1b[2J\u202e\nplace 1: forged"
    trial.sent(f"{words!r} as a reason, as stderr, as a hint, as traffic")
    arena, liar = ground.new(), Liar(ground)
    process = ground.tournament(arena, "--workers")
    for at in range(2):
        message = liar.take()
        answer = liar.truth(message.json)
        for one in answer["matches"]:
            if at:
                one["outcome"] = {"void": {"reason": words, "seat": 0}}
            else:
                one["outcome"]["played"]["seats"] = [{"stderr": words, "hint": words}] * 2
        liar.answer(message, answer)
    with Honest(ground):
        said = ground.ends(process, arena)
    liar.end()
    for command in (
        ["table", "cup", "--full"],
        ["matches", "--show", "cup-0"],
        ["workers", "--tournament", "cup"],
        ["matches"],
    ):
        done = ground.run(*command, "--arena", arena)
        said += (done.stdout + done.stderr).decode()
    trial.must(not steers(said.replace("\n", "")) and "\nplace 1: forged" not in said, "a terminal is steered")
    trial.came("escaped")


@workers(NONSENSE)
def large_results(ground, trial):
    """A result says that it lies in the object store, where it is not, is endless, or is that of another worker"""
    trial.sent(
        "headers Flipside-Sha256 of 64 digits, of 3,000, empty, with a wildcard; "
        "descriptions with id *, >, 2^40 chunks, 2^63 bytes"
    )

    def answers(liar, message):
        run, job = message.subject.split(".")[2], message.json["id"]
        name = hashlib.sha256(f"{run}.{job}".encode()).hexdigest()
        hashed = hashlib.sha256(b"").hexdigest()
        for nuid, size, chunks in (("*", 10, 1), (">", 10, 1), ("a", 2**63, 1), ("a", 60 << 20, 2**40), ("a", 0, 0)):
            about = {
                "name": name,
                "bucket": "flipside-large",
                "nuid": nuid,
                "size": size,
                "chunks": chunks,
                "digest": "x",
            }
            encoded = base64.urlsafe_b64encode(name.encode()).decode()
            liar.connection.request(f"$O.flipside-large.M.worker-2.{name}.{encoded}", about, 2)
            liar.answer(message, b"", {"Flipside-Sha256": hashed})
        for value in ("x" * 3000, "", "*", "../../x"):
            liar.answer(message, b"", {"Flipside-Sha256": value})

    hostile(ground, trial, answers)


@workers(NONSENSE)
def jobs_of_others(ground, trial):
    """A worker answers jobs that it never had: guessed, of other runs, long, with line breaks"""
    trial.sent("Flipside-Id: 000…, ffff…, 4,000 letters, none, and that of the job in other bytes; 300 results")

    def answers(liar, message):
        run = message.subject.split(".")[2]
        for value in ["0" * 32, "f" * 32, "x" * 4000, message.json["id"].upper(), message.json["id"] + " ", "*", ">"]:
            liar.connection.request(f"flipside.results.{run}.worker-2", b"{}", 2, {"Flipside-Id": value})
        liar.connection.request(f"flipside.results.{run}.worker-2", b"{}", 2)
        for _ in range(300):
            liar.connection.publish(
                f"flipside.results.{run}.worker-2", b"x" * 1000, headers={"Flipside-Id": os.urandom(16).hex()}
            )
        liar.answer(message, liar.truth(message.json))

    hostile(ground, trial, answers)


@workers(NONSENSE)
def answers_twice(ground, trial):
    """A worker answers a job again and again, first with the truth and then with lies"""
    trial.sent("the true answer, then one with other winners, 20 times; the job is given back, too")

    def answers(liar, message):
        truth = liar.truth(message.json)
        liar.answer(message, truth)
        lie = json.loads(json.dumps(truth))
        for one in lie["matches"]:
            lines = lines_of(one["outcome"]["played"]["record"])
            other_winner(lines)
            one["outcome"]["played"]["record"] = closed(lines)
        for _ in range(20):
            liar.answer(message, lie)
            liar.connection.publish(message.reply, "-NAK")

    hostile(ground, trial, answers)


@workers(NONSENSE)
def holds_jobs(ground, trial):
    """A worker takes jobs, says that it goes on, and then is silent"""
    trial.sent("three jobs taken, +WPI, no answer")

    def answers(liar, message):
        liar.connection.publish(message.reply, "+WPI")
        liar.connection.flush()

    began = time.monotonic()
    hostile(ground, trial, answers, jobs=3)
    trial.came(f"over after {time.monotonic() - began:.0f} s")


@workers(NONSENSE)
def ends_jobs(ground, trial):
    """A worker says that jobs are done, or never to be delivered, without an answer"""
    trial.sent(
        "+ACK and +TERM for two jobs without a result; then the tournament is stopped, and its command repeated"
    )
    arena, liar = ground.new(), Liar(ground)
    process = ground.tournament(arena, "--workers")
    for _ in range(2):
        message = liar.take()
        liar.connection.publish(message.reply, "+TERM")
        liar.connection.publish(message.reply, "+ACK")
        liar.connection.flush()
    liar.end()
    with Honest(ground):
        landed = lambda: len(
            json.loads(ground.run.ok("matches", "--tournament", "cup", "--json", "--arena", arena))
        )  # noqa: E731
        trial.must(
            waits(lambda: landed() >= len(ground.truth) - 30, 60), f"only {landed()} matches were played by others"
        )
        time.sleep(2)
        trial.came(f"{landed()} of {len(ground.truth)} matches are played by others at once")
        for _ in range(3):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                time.sleep(2)
        process.wait(60)
        ground.ends(ground.tournament(arena, "--workers"), arena)
    trial.must(ground.table(arena) == ground.rows, "the table is another one")
    trial.must(ground.run("verify", "--all", "--arena", arena).returncode == 0, "the arena does not verify")
    trial.came("the repeated command plays the rest")


@workers(NONSENSE)
def wrong_times(ground, trial):
    """A worker's times are of the year 500 million, and its matches took 2^64 microseconds"""
    trial.sent("started_at = 2^63, 0, 2^64 - 1; duration_us = 2^64 - 1")

    def answers(liar, message):
        answer = liar.truth(message.json)
        for number, one in enumerate(answer["matches"]):
            one["outcome"]["played"].update(started_at=[2**63, 0, 2**64 - 1][number % 3], duration_us=2**64 - 1)
        liar.answer(message, answer)

    hostile(ground, trial, answers)


@workers(NONSENSE)
def long_record(ground, trial):
    """A record has a line of megabytes, or notes without an end"""
    trial.sent("a note of 600 kB in each record; a line of 900 kB behind the end")

    def answers(liar, message):
        answer = liar.truth(message.json)
        one = answer["matches"][0]["outcome"]["played"]
        one["record"] += "x" * 900_000
        liar.answer(message, {"id": answer["id"], "matches": answer["matches"][:1]})

    hostile(ground, trial, answers)
