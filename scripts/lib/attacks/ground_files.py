"""The ground of attacks by files: an arena with a tournament that is over, its archive, backup and records, and a
folder beside it that nothing may touch. Also what makes hostile files of good ones."""

import hashlib
import io
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from servers import SEED, write_bots  # noqa: E402

from .trial import MOST_SECONDS, Command, packed, tree, unpacked, without  # noqa: E402

CANARY = "canary-of-a-file-outside"
# What an attack by a file may make a command take, in bytes. The command itself is a large program.
MOST_MEMORY = 1 << 30
BOMB = 3 << 30


def entries_of(path):
    """The files in a packed tar archive, in order: headers and contents."""
    with tarfile.open(fileobj=io.BytesIO(unpacked(path))) as archive:
        return [[entry, archive.extractfile(entry).read()] for entry in archive]


def plain_entry(name, data=b"", kind=tarfile.REGTYPE, link="", mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode = kind, link, mode
    return [entry, data]


def tar_of(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry, data in entries:
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def closed(lines):
    """A record of these lines, without its last one, and with a closing hash that fits."""
    text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
    end = {"type": "end", "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return text + json.dumps(end, separators=(",", ":")) + "\n"


def lines_of(record):
    return [json.loads(line) for line in record.splitlines()[:-1]]


class Files:
    """An arena `arena` with the tournament `cup`, and what was given out of it."""

    def __init__(self, options, folder):
        self.run = Command(options.flipside, os.path.join(folder, "files"))
        self.outside = self.run.path("outside")
        self.run.write("outside/file", CANARY)
        write_bots(self.run.folder)
        run = self.run
        bundle = run.path("bundle")
        os.makedirs(bundle)
        shutil.copy(run.path("first.wat"), os.path.join(bundle, "bot.wat"))
        run.write("bundle/bot.toml", 'name = "bundled"\nlanguage = "wasm"\n')
        cup = ["tournament", "flipflop-3x3", "./first.wat", "./other.wat", "./bundle", "--rounds", "2", "--name", "cup"]
        run.ok(*cup, "--seed", SEED, "--deterministic", "--clock", "fuel=1G")
        run.ok("export", "cup", "plain.tar.zst")
        self.record = run.ok("matches", "cup-0")
        run.ok("match", "flipflop-3x3", "./first.wat", "./other.wat", "--record", "timed.jsonl")
        with open(run.path("timed.jsonl"), encoding="utf-8") as file:
            self.timed = file.read()
        run.ok("keygen")
        run.ok("export", "cup", "cup.tar.zst")
        run.ok("backup", "backup.tar.zst")
        self.signed = run.ok("matches", "cup-0")
        self.signed_other = run.ok("matches", "cup-1")
        self.before = tree(self.outside)
        self.number = 0

    def new(self, name):
        """A name of a file or a folder that is not there yet."""
        self.number += 1
        return f"{self.number}-{name}"

    def is_untouched(self, trial):
        trial.must(tree(self.outside) == self.before, "a file outside was touched")
        with open(os.path.join(self.outside, "file"), encoding="utf-8") as file:
            trial.must(file.read() == CANARY, "a file outside has other bytes")

    def imported(self, trial, data, *words, name="hostile.tar.zst", arena=None):
        """An archive must be refused, and leave nothing behind."""
        file = self.run.write(self.new(name), data)
        arena = arena or self.new("arena")
        done = measured(self.run, "import", file, "--arena", arena)
        said = trial.refuses(done, *words)
        trial.must(done.peak < MOST_MEMORY, f"it took {done.peak >> 20} MiB")
        there = self.run("tournaments", "--json", "--arena", arena)
        trial.must(b'"cup' not in there.stdout, "a tournament came in")
        self.is_untouched(trial)
        os.remove(file)
        return said

    def with_archive(self, change, file="plain.tar.zst"):
        """The archive after a change of its list of entries, packed."""
        entries = entries_of(self.run.path(file))
        change(entries)
        return packed(tar_of(entries))

    def restored(self, trial, data, *words, accepts=False):
        """A backup must be refused, and leave nothing behind. Returns the folder that it was to be."""
        file, arena = self.run.write(self.new("hostile.tar.zst"), data), self.new("restored")
        done = measured(self.run, "restore", file, "--arena", arena)
        if accepts and done.returncode == 0:
            trial.came("restored")
        else:
            trial.refuses(done, *words)
            trial.must(not os.path.lexists(self.run.path(arena)), "a folder was left behind")
        left = [name for name in os.listdir(self.run.folder) if name.startswith(".flipside")]
        trial.must(not left, f"it left {left}")
        trial.must(done.peak < MOST_MEMORY, f"it took {done.peak >> 20} MiB")
        self.is_untouched(trial)
        os.remove(file)
        return arena

    def with_backup(self, change=None, sql=None, extra=()):
        """The backup after a change of its entries or of its journal, with sizes and hashes that fit."""
        entries = entries_of(self.run.path("backup.tar.zst"))
        manifest = json.loads(entries[0][1])
        if sql:
            entries[1][1] = self.changed_journal(entries[1][1], sql)
            describe(manifest["files"][0], entries[1][1])
        if change:
            change(manifest, entries)
        entries[0][1] = json.dumps(manifest).encode()
        return packed(tar_of([*entries, *extra]))

    def changed_journal(self, data, sql):
        path = self.run.write(self.new("journal.sqlite"), data)
        change_journal(path, sql)
        with open(path, "rb") as file:
            return file.read()

    def copied_arena(self):
        """A copy of the arena, as somebody has it who can write to it."""
        arena = self.new("copy")
        shutil.copytree(self.run.path("arena"), self.run.path(arena))
        return arena

    def verifies_not(self, trial, record, *words):
        """A record must be refused by `verify`, and shown without harm by `replay`."""
        file = self.run.write(self.new("record.jsonl"), record)
        said = trial.refuses(self.run("verify", file), *words)
        shown = self.run("replay", file, "--plain")
        trial.must(b"panicked" not in shown.stderr, "replay panics")
        return said

    def end(self, note):
        """The arena must be as true as before all attacks."""
        note(self.run("verify", "--all").returncode == 0, "files: `flipside verify --all` passes")
        without(self.run.path("arena"))


def describe(stored, data):
    stored["size"], stored["sha256"] = len(data), hashlib.sha256(data).hexdigest()


def change_journal(path, sql):
    """Runs a script or a function on a journal, whose checks do not count."""
    journal = sqlite3.connect(path)
    journal.execute("PRAGMA ignore_check_constraints = 1")
    if callable(sql):
        sql(journal)
    else:
        journal.executescript(sql)
    journal.commit()
    journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    journal.close()


def measured(run, *args):
    """Runs a command with limits of time and address space, and notes the most memory that it had."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    out, error = run.path("stdout"), run.path("stderr")
    with open(out, "wb") as stdout, open(error, "wb") as stderr:
        began = subprocess.Popen(
            [run.program, *args],
            cwd=run.folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            preexec_fn=limit,
        )
        # The kernel tells the peak of this one child only to whom waits for it.
        alarm = subprocess.Popen(["sleep", str(MOST_SECONDS)])
        done, status, used = os.wait4(-1, 0)
        if done == alarm.pid:
            began.kill()
            began.wait()
            raise TimeoutError(f"flipside {' '.join(args)} takes longer than {MOST_SECONDS} s")
        alarm.kill()
        alarm.wait()
    began.returncode = os.waitstatus_to_exitcode(status)
    with open(out, "rb") as stdout, open(error, "rb") as stderr:
        answer = subprocess.CompletedProcess(args, began.returncode, stdout.read(), stderr.read())
    answer.peak = used.ru_maxrss << 10
    return answer


def packed_zeros(head, size, *options):
    """A zstd frame with some bytes, and then so many zeros, of which nothing lies on the disk."""
    zstd = subprocess.Popen(["zstd", "-q", "-c", "-1", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    block = bytes(1 << 20)

    def feed():
        zstd.stdin.write(head)
        for _ in range(size >> 20):
            zstd.stdin.write(block)
        zstd.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    data = zstd.stdout.read()
    feeder.join()
    zstd.wait()
    return data
