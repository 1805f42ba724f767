"""The ground of attacks on workers: a nats-server with the accounts of docs/organisers/workers/nats.conf on loopback, an arena, an
honest worker as often as one is needed, and connections as the director and as each worker."""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from servers import ROOT, SEED, begin, free_port, write_bots  # noqa: E402

from .nats import Nats, configuration, public_key, seed_of  # noqa: E402
from .trial import Command, waits  # noqa: E402

GAME, NAME = "flipflop-3x3", "cup"
ROUNDS = 20
# What a file of a bot has, and no message of the server may have.
IN_BOT = "A bot that always plays the first legal action"
MOST_SECONDS = 180


class Workers:
    def __init__(self, options, folder):
        self.run = Command(options.flipside, os.path.join(folder, "workers"))
        run = self.run
        run.write("outside", "canary-of-a-file-outside")
        write_bots(run.folder)
        self.seeds, self.number, self.processes = {}, 0, []
        for name in ("director", "worker-1", "worker-2"):
            run.ok("keygen", "--worker", f"{name}.key")
            with open(run.path(f"{name}.key"), encoding="utf-8") as file:
                self.seeds[name] = seed_of(file.read())
        self.port = free_port()
        self.server = f"nats://127.0.0.1:{self.port}"
        with open(os.path.join(ROOT, "docs", "workers", "nats.conf"), encoding="utf-8") as file:
            text = file.read()
        version = run.ok("--version").split()[1].replace(".", "-")
        self.queue = re.search(r"MSG\.NEXT\.FLIPSIDE_WORK\.([\w-]+)", text)[1]
        if self.queue != version:
            raise RuntimeError(f"nats.conf is for {self.queue}, and flipside is {version}")
        publics = [public_key(seed) for seed in self.seeds.values()]
        run.write("nats.conf", configuration(text, publics, self.port, run.path("streams")))
        with open(run.path("nats.log"), "wb") as log:
            self.nats = begin([options.nats_server, "--config", run.path("nats.conf")], stdout=log, stderr=log)
        if not waits(self.is_up, 20):
            raise RuntimeError("nats-server does not start")
        # What is true: the same tournament, played on this machine alone.
        self.tournament("truth").wait(MOST_SECONDS)
        self.truth = [run.ok("matches", f"{NAME}-{index}", "--arena", "truth") for index in range(2 * ROUNDS)]
        self.rows = self.table("truth")
        # Makes the streams, and shows that honest workers can use the configuration.
        with Honest(self):
            self.ends(self.tournament("first", "--workers"), "first")

    def is_up(self):
        try:
            Nats(("127.0.0.1", self.port)).end()
            return True
        except OSError:
            return False

    def connect(self, name, **more):
        connection = Nats(("127.0.0.1", self.port), self.seeds[name], name, **more)
        if not connection.is_in or connection.errors:
            raise RuntimeError(f"{name} cannot log in: {connection.errors}")
        return connection

    def tournament(self, arena, *more, rounds=ROUNDS):
        """Begins the tournament in an arena of its own."""
        command = [
            self.run.program,
            "tournament",
            GAME,
            "./first.wat",
            "./other.wat",
            "--rounds",
            str(rounds),
            "--seed",
            SEED,
            "--name",
            NAME,
            "--arena",
            arena,
            "--deterministic",
            "--clock",
            "fuel=1G",
            "-v",
        ]
        if "--workers" in more:
            more = ["--workers", self.server, "--credentials", "director.key", *more[1:]]
        with open(self.run.path(f"{arena}.log"), "wb") as log:
            process = begin([*command, *more], cwd=self.run.folder, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def said(self, arena):
        with open(self.run.path(f"{arena}.log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def table(self, arena):
        rows = json.loads(self.run.ok("table", NAME, "--json", "--arena", arena))["rows"]
        return [
            {key: row[key] for key in ("bot", "games", "wins", "draws", "losses", "score", "faults")} for row in rows
        ]

    def ends(self, process, arena):
        """Waits until a tournament is over; it must be as the one that was played here alone."""
        try:
            status = process.wait(MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RuntimeError(f"the tournament does not end: {self.said(arena)[-400:]}") from None
        if status != 0:
            raise RuntimeError(f"the tournament fails: {self.said(arena)[-400:]}")
        return self.said(arena)

    def purge(self):
        """Takes away jobs of tournaments that were stopped."""
        director = self.connect("director")
        director.request("$JS.API.STREAM.PURGE.FLIPSIDE_WORK", {})
        director.end()

    def new(self, name="arena"):
        self.number += 1
        return f"{name}-{self.number}"

    def end(self, note):
        director = self.connect("director")
        note(director.request("$JS.API.INFO") is not None, "workers: the nats-server still answers")
        director.end()
        with open(self.run.path("nats.log"), encoding="utf-8", errors="replace") as log:
            note("panic" not in log.read(), "workers: the nats-server has not panicked")
        panicked = [
            name
            for name in os.listdir(self.run.folder)
            if name.endswith(".log") and name != "nats.log" and "panicked" in self.said(name.removesuffix(".log"))
        ]
        note(not panicked, f"workers: no director and no worker has panicked {panicked or ''}")
        seeds = [open(self.run.path(f"{name}.key"), encoding="utf-8").read().strip() for name in self.seeds]
        told = [
            name
            for name in os.listdir(self.run.folder)
            if name.endswith(".log") and any(seed in self.said(name.removesuffix(".log")) for seed in seeds)
        ]
        note(not told, f"workers: no seed is in a log {told or ''}")
        note(self.run("verify", "--all", "--arena", "first").returncode == 0, "workers: `flipside verify --all` passes")
        with open(self.run.path("outside"), encoding="utf-8") as file:
            note(file.read() == "canary-of-a-file-outside", "workers: a file beside the folders is untouched")
        for process in [*self.processes, self.nats]:
            process.kill()
            process.wait()


class Honest:
    """A worker of this very program for a while, as worker-1."""

    def __init__(self, ground, folder="folder-worker-1"):
        self.ground, self.name, self.folder = ground, "worker-1", folder

    def __enter__(self):
        ground = self.ground
        self.log = ground.run.path(ground.new(self.name) + ".log")
        command = [
            ground.run.program,
            "worker",
            "--server",
            ground.server,
            "--credentials",
            f"{self.name}.key",
            "--name",
            self.name,
            "--folder",
            self.folder,
            "--class",
            "x",
            "--concurrency",
            "2",
            "-v",
        ]
        with open(self.log, "wb") as log:
            self.process = begin(command, cwd=ground.run.folder, stdout=log, stderr=log)
        return self

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def is_alive(self):
        return self.process.poll() is None

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Liar:
    """A worker of this script: it takes jobs of a tournament, and answers as it is told."""

    def __init__(self, ground):
        self.ground, self.connection = ground, ground.connect("worker-2")

    def take(self, seconds=30, must=True):
        """A job, with the subject of its results and what acknowledges it; None if none comes and none must."""
        end = time.monotonic() + seconds
        subject = f"$JS.API.CONSUMER.MSG.NEXT.FLIPSIDE_WORK.{self.ground.queue}"
        while time.monotonic() < end:
            message = self.connection.request(subject, {"batch": 1, "expires": 2_000_000_000}, 3)
            if message and message.reply and message.subject.startswith("flipside.work."):
                return message
            time.sleep(0.1)
        if must:
            raise RuntimeError("no job comes")
        return None

    def truth(self, job):
        """The answer that an honest worker would give."""
        matches = [
            {"index": one["index"], "outcome": {"played": self.played(one["index"])}} for one in job["matches"]
        ]
        return {"id": job["id"], "matches": matches}

    def played(self, index):
        return {
            "record": self.ground.truth[index],
            "started_at": int(time.time() * 1000),
            "duration_us": 1000,
            "seats": [{"stderr": ""}, {"stderr": ""}],
        }

    def answer(self, message, data, headers=None, name="worker-2"):
        """Sends a result, and acknowledges the job. Returns what the server says."""
        run = message.subject.split(".")[2]
        headers = {"Flipside-Id": message.json["id"], **(headers or {})}
        data = json.dumps(data) if isinstance(data, dict) else data
        said = self.connection.request(f"flipside.results.{run}.{name}", data, 5, headers)
        self.connection.publish(message.reply, "+ACK")
        self.connection.flush()
        return said

    def end(self):
        self.connection.end()
