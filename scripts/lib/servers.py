"""What scripts/chaos, scripts/faults, scripts/throughput and scripts/liars share: a nats-server, a full disk, what an
arena has of a tournament, and, for the latter two, bots, tournaments of short matches, and workers that only simulate.
Everything is on this machine and in the folder that is given."""

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TARGET = os.path.join(ROOT, "target")
SALT = "00112233445566778899aabbccddeeff" * 2
# The whole seed of tournaments that are compared.
SEED = f"5-{SALT}"
NATS_SERVER = os.path.join(TARGET, "nats", "nats-server")
NAME = "cup"
# A round is the two matches of a pair.
BOTS = ["first", "other"]


def add_options(parser):
    """The game, and where the programs are."""
    release = os.path.join(TARGET, "release")
    parser.add_argument("--game", default="flipflop-3x3", help="the game of the matches")
    parser.add_argument("--flipside", default=os.path.join(release, "flipside"))
    parser.add_argument("--simulate", default=os.path.join(release, "simulated-worker"),
                        help="cargo build --release -p flipside-bench")
    parser.add_argument("--nats-server", default=NATS_SERVER,
                        help="scripts/need-nats brings it")


def check_programs(options):
    for name in ("flipside", "simulate", "nats_server"):
        path = os.path.abspath(getattr(options, name))
        if not os.access(path, os.X_OK):
            sys.exit(f"there is no program {path}; give it with --{name.replace('_', '-')}")
        setattr(options, name, path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(process):
    """What a process has used, with its threads."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dies_with_this_script():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def begin(command, **options):
    """Starts a process that ends with this script, and does not hear its Ctrl-C."""
    return subprocess.Popen(command, preexec_fn=dies_with_this_script, start_new_session=True, **options)


def output_of(command, **options):
    """What a command prints, or an error with what it says."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip()
        raise OSError(f"{os.path.basename(command[0])} failed: {said}")
    return done.stdout


def why_not(command):
    """Why a command fails; None if it works."""
    try:
        output_of(command)
    except OSError as error:
        return str(error).replace("\n", " ")
    return None


def compile_c(out, source, *options):
    output_of(["cc", "-O2", "-o", out, "-x", "c", "-", *options], input=source)


def fill_disk(path):
    """Fills the disk with a file. Others may have freed some of it since the last time."""
    with open(path, "ab", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while filler.write(bytes(size)) == size:
                    pass
            except OSError:
                pass


class Server:
    """A nats-server, as docs/organisers/workers/nats.conf has it, without users and TLS. It keeps its streams when it is killed."""

    def __init__(self, folder, program=NATS_SERVER, host="127.0.0.1", log=subprocess.DEVNULL):
        self.program, self.host, self.port, self.log = program, host, free_port(), log
        os.makedirs(folder, exist_ok=True)
        self.config = os.path.join(folder, "nats.conf")
        with open(self.config, "w", encoding="utf-8") as out:
            out.write(f'listen: "{self.host}:{self.port}"\njetstream {{ store_dir: "{folder}/streams", ')
            out.write("sync_interval: always, max_file_store: 8GB }\n")
        if not self.start():
            self.kill()
            sys.exit("nats-server does not start")

    def start(self):
        self.process = begin([self.program, "--config", self.config], stderr=self.log)
        for _ in range(200):
            try:
                socket.create_connection((self.host, self.port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def address(self):
        return f"nats://{self.host}:{self.port}"


def write_bots(folder, liar=False):
    """Two modules that play at once: the first legal action, and a random one. With `liar`, the latter draws others."""
    wat = os.path.join(ROOT, "sample-bots", "wat")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(wat, "first.wat"), os.path.join(folder, "first.wat"))
    with open(os.path.join(wat, "instant.wat"), encoding="utf-8") as file:
        text = file.read()
    other = text.replace("6364136223846793005", "3202034522624059733")
    if other == text:
        sys.exit("instant.wat has another generator of random numbers")
    with open(os.path.join(folder, "other.wat"), "w", encoding="utf-8") as out:
        out.write(other if liar else text)


def tournament(options, arena, matches, more=()):
    command = [options.flipside, "tournament", options.game, *(f"./{bot}.wat" for bot in BOTS)]
    command += ["--rounds", str(matches // 2), "--seed", SEED, "--name", NAME, "--arena", arena]
    # A bot with invented faults is not paused: then its other matches would not be played.
    return command + ["--deterministic", "--clock", "fuel=1G", "--pause-after", "0", *more]


def play(options, folder, arena, matches, more=()):
    """Plays a tournament to its end: the seconds that it took."""
    began = time.monotonic()
    with open(os.path.join(folder, f"{os.path.basename(arena)}.log"), "w+b") as log:
        command = tournament(options, arena, matches, more)
        if subprocess.run(command, cwd=folder, stdout=log, stderr=log, check=False).returncode != 0:
            log.seek(0)
            sys.exit(log.read().decode()[-3000:])
    return time.monotonic() - began


class Simulated:
    """A worker that answers with the records of an arena; see bench/src/bin/simulated-worker/."""

    def __init__(self, options, folder, server, name, arena, more=()):
        self.log = os.path.join(folder, f"{name}.log")
        command = [options.simulate, "--stdin", "--server", server.address, "--name", name, "--arena", arena, *more]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )

    def check(self):
        """Fails if it has ended already."""
        if self.process.poll() is not None:
            self.end()
            sys.exit("a simulated worker has ended at once")

    def tell_to_end(self):
        if self.process.stdin:
            self.process.stdin.close()
            self.process.stdin = None

    def end(self):
        """Ends it, and returns what it counted."""
        self.tell_to_end()
        try:
            said, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            said, _ = self.process.communicate()
        if self.process.returncode != 0:
            with open(self.log, encoding="utf-8") as log:
                sys.exit(f"a simulated worker failed: {log.read()[-2000:]}")
        return json.loads(said)


def table(heads, rows):
    """Prints a table in Markdown."""
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
    print(flush=True)


def without_times(value):
    for key in ("created_at", "started_at", "duration_us"):
        value.pop(key, None)
    return json.dumps(value)


def archive(options, folder, arena, name=NAME):
    """What an arena has of a tournament, but for the times at which it was played: names of files, and their texts."""
    file = f"{arena}-{name}.tar.zst"
    export = [options.flipside, "export", name, file, "--arena", arena]
    subprocess.run(export, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["zstd", "-q", "-d", "-f", "--rm", file], cwd=folder, check=True)
    everything = []
    path = os.path.join(folder, file.removesuffix(".zst"))
    with tarfile.open(path) as entries:
        for entry in entries:
            text = entries.extractfile(entry).read().decode()
            if entry.name.endswith("archive.json"):
                text = without_times(json.loads(text))
            elif "/results/" in entry.name:
                text = "\n".join(without_times(json.loads(line)) for line in text.splitlines())
            everything.append((entry.name, text))
    os.remove(path)
    return everything


def standings(options, folder, arena):
    command = [options.flipside, "table", NAME, "--full", "--arena", arena]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
