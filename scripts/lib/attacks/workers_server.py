"""Attacks by a worker on the work, the results and the messages of others, at a NATS server with the accounts of
docs/organisers/workers/nats.conf."""

import json
import os
import time

from .ground_workers import GAME, Honest, Liar, begin
from .nats import public_key
from .promises import OWN_JOBS, OWN_SUBJECTS, TERMINAL
from .trial import attack, steers

STREAMS = ["FLIPSIDE_WORK", "FLIPSIDE_RESULTS", "OBJ_flipside-files", "OBJ_flipside-large", "KV_flipside-workers"]
RUN = "0" * 32


def workers(who, promise):
    return attack("workers", who, promise)


def messages(ground):
    """How many messages lie in each stream, as only the director's account can see."""
    director = ground.connect("director")
    counts = {}
    for stream in ("KV_flipside-workers", "FLIPSIDE_WORK"):
        counts[stream] = director.request(f"$JS.API.STREAM.INFO.{stream}", {}).json["state"]["messages"]
    for stream, subject in (
        ("FLIPSIDE_RESULTS", "flipside.results.>"),
        ("OBJ_flipside-files", "$O.flipside-files.>"),
        ("OBJ_flipside-large", "$O.flipside-large.>"),
    ):
        found, sequence = [], 1
        while True:
            answer = director.request(f"$JS.API.STREAM.MSG.GET.{stream}", {"seq": sequence, "next_by_subj": subject})
            if not answer or "message" not in answer.json:
                break
            message = answer.json["message"]
            found.append((message["seq"], message["subject"]))
            sequence = message["seq"] + 1
        counts[stream] = tuple(found)
    director.end()
    return counts


def changes_nothing(ground, trial, does):
    """A worker does something; afterwards the streams must be as before, but for its own presence."""
    before = messages(ground)
    attacker = ground.connect("worker-2")
    does(attacker)
    attacker.flush()
    time.sleep(0.2)
    after = messages(ground)
    for stream, count in before.items():
        trial.must(after[stream] == count, f"{stream}: {str(count)[-80:]} before, {str(after[stream])[-80:]} after")
    trial.came(f"{len(attacker.errors)} refusals, nothing changed")
    attacker.end()


@workers("a worker", OWN_SUBJECTS)
def publishes_work(ground, trial):
    """A worker publishes work for others"""
    trial.sent("flipside.work.RUN.QUEUE, as a message, with a reply, with headers")

    def does(attacker):
        subject = f"flipside.work.{RUN}.{ground.queue}"
        trial.must(
            attacker.request(subject, b"{}", 1) is None or attacker.request(subject, b"{}", 1).is_nobody, "it is stored"
        )
        attacker.publish(subject, b"{}", headers={"Nats-Msg-Id": "x"})

    changes_nothing(ground, trial, does)


@workers("a worker", OWN_SUBJECTS)
def other_name(ground, trial):
    """A worker sends results, large results and its presence in the name of another one"""
    subjects = [
        f"flipside.results.{RUN}.worker-1",
        f"flipside.results.{RUN}.*",
        "flipside.results.>",
        f"flipside.results.{RUN}.worker-2.x",
        "$KV.flipside-workers.worker-1",
        "$O.flipside-large.C.worker-1.x.y",
        "$O.flipside-large.M.worker-1.x.y",
    ]
    trial.sent(", ".join(subjects))

    def does(attacker):
        for subject in subjects:
            answer = attacker.request(subject, b"{}", 1)
            trial.must(
                answer is None or answer.is_nobody or b"error" in answer.data,
                f"{subject} is taken: {answer and answer.data[:80]}",
            )

    changes_nothing(ground, trial, does)


@workers("a worker", OWN_SUBJECTS)
def listens(ground, trial):
    """A worker listens to the messages of others while a tournament is played"""
    subjects = [
        ">",
        "flipside.>",
        "$JS.>",
        "$O.>",
        "$KV.>",
        "_INBOX.>",
        "_INBOX.director.>",
        "_INBOX.worker-1.>",
        "$SYS.>",
        "*",
        "*.*.*.*",
    ]
    trial.sent(f"SUB {', '.join(subjects)}")
    attacker = ground.connect("worker-2")
    numbers = {subject: attacker.subscribe(subject) for subject in subjects}
    arena = ground.new()
    with Honest(ground):
        ground.ends(ground.tournament(arena, "--workers"), arena)
    attacker.flush()
    heard = {subject: len(attacker.messages[number]) for subject, number in numbers.items()}
    trial.came(f"{len(attacker.errors)} refusals, {sum(heard.values())} messages")
    trial.must(not any(heard.values()), f"heard {heard}")
    attacker.end()


@workers("a worker", OWN_SUBJECTS)
def reads_results(ground, trial):
    """A worker reads work, results and presence that lie on the server"""
    trial.sent("STREAM.MSG.GET, DIRECT.GET, INFO, NAMES, LIST, CONSUMER.LIST of each stream")
    attacker = ground.connect("worker-2")
    for stream in STREAMS:
        for what in (
            f"STREAM.MSG.GET.{stream}",
            f"DIRECT.GET.{stream}",
            f"STREAM.INFO.{stream}",
            f"CONSUMER.NAMES.{stream}",
            f"CONSUMER.LIST.{stream}",
            f"CONSUMER.INFO.{stream}.{ground.queue}",
            "STREAM.NAMES",
            "STREAM.LIST",
        ):
            if what == "STREAM.MSG.GET.OBJ_flipside-files":
                continue
            answer = attacker.request(f"$JS.API.{what}", {"seq": 1, "next_by_subj": ">"}, 0.5)
            trial.must(
                answer is None or answer.is_nobody or b'"error"' in answer.data,
                f"{what}: {answer and answer.data[:80]}",
            )
    trial.came("no answer")
    attacker.end()


@workers("a worker", OWN_SUBJECTS)
def manages_streams(ground, trial):
    """A worker deletes, empties, changes or copies the streams of the arena, or makes its own consumers"""
    calls = [
        "STREAM.DELETE.{}",
        "STREAM.PURGE.{}",
        "STREAM.UPDATE.{}",
        "STREAM.CREATE.{}",
        "STREAM.SNAPSHOT.{}",
        "STREAM.RESTORE.{}",
        "STREAM.MSG.DELETE.{}",
        "CONSUMER.CREATE.{}",
        "CONSUMER.DURABLE.CREATE.{}.x",
        "CONSUMER.DELETE.{}.@",
        "CONSUMER.PAUSE.{}.@",
        "STREAM.LEADER.STEPDOWN.{}",
        "STREAM.PEER.REMOVE.{}",
        "CONSUMER.RESET.{}.@",
        "CONSUMER.UNPIN.{}.@",
    ]
    trial.sent(", ".join(call.replace(".{}", "").replace(".@", "") for call in calls))

    def does(attacker):
        for stream in STREAMS:
            for call in calls:
                subject = "$JS.API." + call.format(stream).replace("@", ground.queue)
                answer = attacker.request(
                    subject, {"seq": 1, "name": stream, "stream_name": stream, "config": {"deliver_subject": "x"}}, 0.3
                )
                trial.must(
                    answer is None or answer.is_nobody or b'"error"' in answer.data,
                    f"{subject}: {answer and answer.data[:80]}",
                )
        attacker.request("$JS.API.ACCOUNT.PURGE.arena", {}, 0.3)

    changes_nothing(ground, trial, does)


@workers("a worker", OWN_SUBJECTS)
def replies_elsewhere(ground, trial):
    """A worker lets the server send answers to subjects at which the worker may not send"""
    places = [
        f"flipside.work.{RUN}.{ground.queue}",
        f"flipside.results.{RUN}.worker-1",
        "$JS.API.STREAM.PURGE.FLIPSIDE_WORK",
        "$JS.API.STREAM.DELETE.FLIPSIDE_RESULTS",
        "$KV.flipside-workers.worker-1",
        "_INBOX.director.x",
        f"$JS.API.CONSUMER.DELETE.FLIPSIDE_WORK.{ground.queue}",
        "$O.flipside-files.M.x",
    ]
    trial.sent(f"$JS.API.INFO, work and files with the reply subjects {', '.join(places)}")

    def does(attacker):
        for place in places:
            attacker.publish("$JS.API.INFO", b"", place)
            attacker.publish("$JS.API.STREAM.MSG.GET.OBJ_flipside-files", b'{"seq":1}', place)
            attacker.publish(
                f"$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_WORK.{ground.queue}", b'{"batch":1,"no_wait":true}', place
            )

    changes_nothing(ground, trial, does)
    director = ground.connect("director")
    there = director.request(f"$JS.API.CONSUMER.INFO.FLIPSIDE_WORK.{ground.queue}", {})
    trial.must(there is not None and "config" in there.json, "the consumer is gone")
    director.end()


@workers("a worker", OWN_SUBJECTS)
def writes_files(ground, trial):
    """A worker replaces the file of a bot on the server"""
    director = ground.connect("director")
    answer = director.request(
        "$JS.API.STREAM.MSG.GET.OBJ_flipside-files", {"seq": 1, "next_by_subj": "$O.flipside-files.M.>"}
    )
    subject = answer.json["message"]["subject"]
    director.end()
    trial.sent(f"{subject[:40]}…, $O.flipside-files.C.x, $KV.flipside-files.x")

    def does(attacker):
        for place in (subject, "$O.flipside-files.C.x", "$O.flipside-files.M.x"):
            answer = attacker.request(place, b"{}", 1)
            trial.must(answer is None or answer.is_nobody, f"{place}: {answer and answer.data[:80]}")

    changes_nothing(ground, trial, does)


@workers("a worker", OWN_SUBJECTS)
def rollup(ground, trial):
    """A worker deletes the messages of others by a header of its own: rollup, TTL, counters, schedules"""
    headers = [
        {"Nats-Rollup": "all"},
        {"Nats-Rollup": "sub"},
        {"Nats-TTL": "1s"},
        {"Nats-Incr": "+1"},
        {"Nats-Schedule": "@at 2026-01-01T00:00:00Z", "Nats-Schedule-Target": f"flipside.work.{RUN}.{ground.queue}"},
        {"Nats-Expected-Stream": "FLIPSIDE_WORK"},
        {"Nats-Batch-Id": "x", "Nats-Batch-Sequence": "1", "Nats-Batch-Commit": "1"},
        {"Nats-Marker-Reason": "Purge"},
    ]
    trial.sent("; ".join(" ".join(header) for header in headers))
    other = ground.connect("worker-1")
    for subject in (
        f"flipside.results.{RUN}.worker-1",
        "$KV.flipside-workers.worker-1",
        "$O.flipside-large.C.worker-1.x.y",
    ):
        other.request(subject, b"mine", 2)
    before = messages(ground)
    attacker = ground.connect("worker-2")
    for subject in (
        f"flipside.results.{RUN}.worker-2",
        "$KV.flipside-workers.worker-2",
        "$O.flipside-large.C.worker-2.x.y",
    ):
        for header in headers:
            attacker.request(subject, b"x", 0.5, header)
    attacker.flush()
    time.sleep(1.5)
    after = messages(ground)
    for stream in ("FLIPSIDE_RESULTS", "OBJ_flipside-large"):
        missing = set(before[stream]) - set(after[stream])
        trial.must(not missing, f"{stream} lacks {missing}")
        foreign = [one for one in set(after[stream]) - set(before[stream]) if "worker-2" not in one[1]]
        trial.must(not foreign, f"{stream} has {foreign}")
    trial.must(after["FLIPSIDE_WORK"] == before["FLIPSIDE_WORK"], "there is other work")
    trial.came("messages of others are there")
    director = ground.connect("director")
    director.request("$JS.API.STREAM.PURGE.OBJ_flipside-large", {})
    director.request("$JS.API.STREAM.PURGE.FLIPSIDE_RESULTS", {"filter": f"flipside.results.{RUN}.*"})
    for one in (other, attacker, director):
        one.end()


@workers("a worker", OWN_SUBJECTS)
def same_id(ground, trial):
    """A worker uses the id of a result first, so that the server drops that of another one"""
    trial.sent("Nats-Msg-Id: X in a result of worker-2, then in one of worker-1, within 100 ms")
    one, two = ground.connect("worker-1"), ground.connect("worker-2")
    run = os.urandom(16).hex()
    two.request(f"flipside.results.{run}.worker-2", b"first", 2, {"Nats-Msg-Id": "X"})
    time.sleep(0.15)
    answer = one.request(f"flipside.results.{run}.worker-1", b"second", 2)
    trial.must(answer is not None and not answer.json.get("duplicate"), f"the server says {answer and answer.data}")
    director = ground.connect("director")
    found = director.request(
        "$JS.API.STREAM.MSG.GET.FLIPSIDE_RESULTS", {"seq": 1, "next_by_subj": f"flipside.results.{run}.worker-1"}
    )
    trial.must("message" in found.json, "the result is not there")
    trial.came("both are stored")
    director.request("$JS.API.STREAM.PURGE.FLIPSIDE_RESULTS", {"filter": f"flipside.results.{run}.*"})
    for connection in (one, two, director):
        connection.end()


@workers("a worker", OWN_SUBJECTS)
def system(ground, trial):
    """A worker asks the server itself: its accounts, connections, configuration"""
    subjects = [
        "$SYS.REQ.SERVER.PING",
        "$SYS.REQ.SERVER.PING.VARZ",
        "$SYS.REQ.ACCOUNT.arena.CONNZ",
        "$SYS.REQ.SERVER.PING.CONNZ",
        "$SYS.REQ.USER.INFO",
        "$SYS.REQ.CLAIMS.LIST",
        "$SYS.ACCOUNT.arena.CONNECT",
        "$SYS.REQ.SERVER.PING.JSZ",
        "$SRV.PING",
    ]
    trial.sent(", ".join(subjects))
    attacker = ground.connect("worker-2")
    for subject in subjects:
        answer = attacker.request(subject, b"", 0.5)
        others = [
            b'"arena"',
            b"director",
            *(public_key(ground.seeds[name]).encode() for name in ("director", "worker-1")),
        ]
        told = [one for one in others if answer is not None and one in answer.data]
        trial.must(not told, f"{subject}: it tells of {told}")
    trial.came("nothing of others")
    attacker.end()


@workers("a worker", OWN_JOBS)
def programs_of_job(ground, trial):
    """A job tells of bots that it does not play, or of what the arena keeps to itself"""
    trial.sent("a job of a tournament of four bots, of which two play in it")
    run, arena, liar = ground.run, ground.new(), Liar(ground)
    for name in ("third", "fourth"):
        with open(run.path("first.wat"), encoding="utf-8") as file:
            run.write(f"{name}.wat", file.read() + f";; {name}\n")
    command = [
        run.program,
        "tournament",
        GAME,
        "./first.wat",
        "./other.wat",
        "./third.wat",
        "./fourth.wat",
        "--rounds",
        "1",
        "--name",
        "four",
        "--arena",
        arena,
        "--workers",
        ground.server,
        "--credentials",
        "director.key",
    ]
    with open(run.path(f"{arena}.log"), "wb") as log:
        process = begin(command, cwd=run.folder, stdout=log, stderr=log)
    try:
        job = liar.take().json
        text = json.dumps(job)
        played = {seat["program"] for one in job["matches"] for seat in one["seats"]}
        trial.must(played == set(range(len(job["programs"]))), f"programs {len(job['programs'])}, played {played}")
        trial.must("salt" not in text, "it has the salt")
        trial.came(f"{len(job['programs'])} programs, all of them played")
    finally:
        process.kill()
        process.wait()
        liar.end()


@workers("a worker", TERMINAL)
def hostile_presence(ground, trial):
    """A worker says of itself what steers the terminal that lists workers, or what no number is"""
    hostile = "x\x1b[2J\u202e\nplace 1: forged"
    trial.sent(f"presence with {hostile!r}, 10^400, NaN, 16 KiB, deep JSON, no JSON")
    attacker = ground.connect("worker-2")
    for data in (
        json.dumps(
            {
                "flipside": hostile,
                "class": hostile,
                "threads": 2**63,
                "played": 2**64 - 1,
                "busy": -5,
                "per_second": 1e308,
            }
        ),
        '{"busy":1e400,"threads":-1}',
        "[" * 16_000,
        b"\xff\x00" * 100,
        "x" * 20_000,
        "",
    ):
        attacker.request("$KV.flipside-workers.worker-2", data, 2)
        for more in ([], ["--json"]):
            done = ground.run("workers", "--server", ground.server, "--credentials", "director.key", *more)
            text = (done.stdout + done.stderr).decode()
            trial.must(done.returncode == 0, f"exit {done.returncode}: {text[:100]}")
            trial.must(
                not steers(text.replace("\n", "")) and "\nplace 1: forged" not in text,
                f"the list steers: {text[:100]!r}",
            )
    trial.came("escaped")
    attacker.request("$KV.flipside-workers.worker-2", b"", 2, {"KV-Operation": "DEL"})
    attacker.end()
