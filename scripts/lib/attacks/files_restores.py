"""Attacks by backups and journals: what `restore` takes in, and what an arena does with rows that it did not write."""

import os
import random
import stat
import tarfile

from .ground_files import BOMB, change_journal, describe, packed_zeros, plain_entry
from .promises import NAMES, NO_PANIC, PRIVATE, RESTORES, TERMINAL, VERIFIES
from .trial import attack, steers


def files(promise):
    return attack("files", "a file", promise)


@files(NAMES)
def path_in_manifest(ground, trial):
    """A backup names a file outside of the arena"""
    trial.sent('paths "../outside/file" and "bots/../../outside/file" in backup.json, with their contents')
    for path in ("../outside/file", "bots/../../outside/file"):

        def change(manifest, entries, path=path):
            stored = {"path": path, "executable": False}
            describe(stored, b"x")
            manifest["files"].append(stored)
            entries.append(plain_entry(path, b"x"))

        ground.restored(trial, ground.with_backup(change))


@files(NAMES)
def path_in_journal(ground, trial):
    """A row of the journal names a file outside as the file of a bot, which `delete` would remove"""
    trial.sent("bots.file = '../../outside/file', with hashes that fit; then `flipside delete first@1`")
    data = ground.with_backup(sql="UPDATE bots SET file = '../../outside/file' WHERE name = 'first'")
    arena = ground.restored(trial, data, accepts=True)
    ground.run("delete", "first@1", "--arena", arena)
    ground.is_untouched(trial)
    copy = ground.copied_arena()
    change_journal(
        ground.run.path(copy, "journal.sqlite"), "UPDATE bots SET file = '../../outside/file' WHERE name = 'first'"
    )
    trial.refuses(ground.run("delete", "first@1", "--arena", copy))
    ground.is_untouched(trial)


@files(NAMES)
def path_is_executed(ground, trial):
    """A row of the journal names a program of the machine as the file of a bot"""
    mark = ground.run.path("outside", "mark")
    trial.sent("bots.file = a path to a script that leaves a mark; then a tournament with this bot")
    script = ground.run.write("outside-script", f"#!/bin/sh\ntouch {mark}\n", 0o755)
    for path in (script, os.path.relpath(script, ground.run.path("arena", "bots"))):
        copy = ground.copied_arena()
        change_journal(
            ground.run.path(copy, "journal.sqlite"),
            f"UPDATE bots SET file = '{path}', kind = 'process' WHERE name = 'first'",
        )
        trial.refuses(ground.run("match", "flipflop-3x3", "first", "other", "--arena", copy))
    ground.is_untouched(trial)


@files(RESTORES)
def trigger(ground, trial):
    """The journal of a backup has a trigger that changes results as they are written"""
    trial.sent("CREATE TRIGGER … AFTER INSERT ON match_seats … UPDATE match_seats SET points = 9")
    sql = "CREATE TRIGGER t AFTER INSERT ON match_seats BEGIN UPDATE match_seats SET points = 9; END"
    ground.restored(trial, ground.with_backup(sql=sql), "a foreign trigger")


@files(RESTORES)
def view(ground, trial):
    """The journal of a backup has a view in the place of a table"""
    trial.sent("ALTER TABLE voids RENAME TO v; CREATE VIEW voids AS SELECT * FROM v")
    sql = "ALTER TABLE voids RENAME TO v; CREATE VIEW voids AS SELECT * FROM v"
    ground.restored(trial, ground.with_backup(sql=sql), "there is a foreign")


@files(RESTORES)
def index_on_code(ground, trial):
    """The journal of a backup has an index whose expression takes a gigabyte at every new tournament"""
    sql = "CREATE INDEX i ON tournaments (length(hex(zeroblob(450000000)))) WHERE id > 1"
    trial.sent(sql)
    ground.restored(trial, ground.with_backup(sql=sql), "a foreign index")


@files(RESTORES)
def other_bytes(ground, trial):
    """The file of a bot in a backup has other bytes than its name says"""
    trial.sent("another module under bots/SHA256.wat, with its own hash in backup.json")

    def change(manifest, entries):
        index = next(at for at, file in enumerate(manifest["files"]) if file["path"].endswith(".wat"))
        data = entries[index + 1][1].replace(b"instant", b"hostile").replace(b"first", b"other")
        entries[index + 1][1] = data
        describe(manifest["files"][index], data)

    arena = ground.restored(trial, ground.with_backup(change), accepts=True)
    for bot in ("first", "other", "bundled"):
        done = ground.run("match", "flipflop-3x3", bot, "sample:random", "--arena", arena)
        if done.returncode != 0:
            trial.refuses(done)
            return
    trial.must(False, "a bot plays with other bytes than its hash says")


@files(RESTORES)
def key_in_backup(ground, trial):
    """A backup brings a key with which its sender could sign for the arena"""
    trial.sent('"signing.key" as a further file, named in backup.json and not')

    def change(manifest, entries):
        stored = {"path": "signing.key", "executable": False}
        describe(stored, bytes(32))
        manifest["files"].append(stored)
        entries.append(plain_entry("signing.key", bytes(32)))

    ground.restored(trial, ground.with_backup(change))
    ground.restored(trial, ground.with_backup(extra=[plain_entry("signing.key", bytes(32))]))


@files(RESTORES)
def links(ground, trial):
    """The journal in a backup is a link to a file outside"""
    trial.sent("journal.sqlite as a symlink and as a hard link")
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):

        def change(manifest, entries, kind=kind):
            entries[1] = plain_entry("journal.sqlite", link=os.path.join(ground.outside, "file"), kind=kind)

        ground.restored(trial, ground.with_backup(change))


@files(PRIVATE)
def modes(ground, trial):
    """A backup makes its files open to all, or set-user-id"""
    trial.sent("modes 4777 of all entries")

    def change(_, entries):
        for entry, _ in entries:
            entry.mode = 0o4777

    arena = ground.run.path(ground.restored(trial, ground.with_backup(change), accepts=True))
    if not os.path.exists(arena):
        return
    for place, _, names in os.walk(arena):
        for name in names:
            mode = os.stat(os.path.join(place, name)).st_mode
            trial.must(not mode & (stat.S_ISUID | stat.S_ISGID | stat.S_IWOTH), f"{name} has mode {mode:o}")
    mode = os.stat(os.path.join(arena, "journal.sqlite")).st_mode & 0o777
    trial.must(mode == 0o600, f"the journal has mode {mode:o}")
    trial.must(os.stat(os.path.join(arena, "bots")).st_mode & 0o077 == 0, "bots/ is open to others")


@files(RESTORES)
def bomb(ground, trial):
    """Some kilobytes unpack to gigabytes, before and behind what backup.json says"""
    trial.sent(f"backup.json of {BOMB >> 30} GiB of zeros; a journal that claims 2^60 bytes")
    entry = tarfile.TarInfo("backup.json")
    entry.size = BOMB
    ground.restored(trial, packed_zeros(entry.tobuf(tarfile.GNU_FORMAT), BOMB))

    def change(manifest, _):
        manifest["files"][0]["size"] = 1 << 60

    ground.restored(trial, ground.with_backup(change))


@attack("files", "a neighbour", RESTORES)
def taken_folder(ground, trial):
    """A neighbour has put something at the place where the arena is to be"""
    trial.sent("a folder with a file; a symlink to the folder outside; a symlink to nowhere")
    run = ground.run
    full, link, nowhere = ground.new("full"), ground.new("link"), ground.new("nowhere")
    run.write(os.path.join(full, "file"), "mine")
    os.symlink(ground.outside, run.path(link))
    os.symlink(run.path("outside", "new"), run.path(nowhere))
    for arena in (full, link, nowhere):
        trial.refuses(run("restore", "backup.tar.zst", "--arena", arena))
    trial.must(os.listdir(run.path(full)) == ["file"], "something was put into the folder")
    ground.is_untouched(trial)


@files(NO_PANIC)
def damaged_journal(ground, trial):
    """Pages of the journal are damaged, at random places and at its head"""
    trial.sent("24 journals, each with 40 other bytes; `verify --all`, `table`, `ratings`, `matches`")
    draw = random.Random(7)
    for _ in range(24):
        arena = ground.copied_arena()
        path = ground.run.path(arena, "journal.sqlite")
        with open(path, "r+b") as journal:
            size = os.path.getsize(path)
            for _ in range(40):
                journal.seek(draw.randrange(16, size))
                journal.write(bytes([draw.randrange(256)]))
        for command in (["verify", "--all"], ["table", "cup"], ["ratings"], ["matches"]):
            done = ground.run(*command, "--arena", arena)
            trial.must(done.returncode in (0, 1, 2), f"{command[0]} exits with {done.returncode}")
            trial.must(b"panicked" not in done.stderr, f"{command[0]} panics: {done.stderr[-300:]}")
    trial.came("exit 0 or 1, no panic")


def changed(words, sql, *extra):
    """An attack by somebody who can write to the journal, which `verify --all` must find."""

    def run(ground, trial):
        trial.sent(sql if isinstance(sql, str) else words)
        arena = ground.copied_arena()
        change_journal(ground.run.path(arena, "journal.sqlite"), sql)
        trial.refuses(ground.run("verify", "--all", "--arena", arena))
        trial.refuses(ground.run("export", "cup", ground.new("x.tar.zst"), "--arena", arena))

    run.__doc__ = words
    files(VERIFIES)(run)


changed("Points of a match are changed in the journal", "UPDATE match_seats SET points = 1 - points WHERE idx = 3")
changed(
    "A match is taken out of the journal",
    "DELETE FROM records WHERE idx = 2; DELETE FROM match_seats WHERE idx = 2; DELETE FROM matches WHERE idx = 2",
)
changed(
    "Two records are exchanged",
    "UPDATE records SET idx = 99 WHERE idx = 0; UPDATE records SET idx = 0 WHERE idx = 1;"
    "UPDATE records SET idx = 1 WHERE idx = 99",
)
changed("A match is told of another bot", "UPDATE match_seats SET bot = 3 - bot WHERE idx = 0 AND bot < 3")
changed(
    "A fault is taken out, or invented",
    "UPDATE match_seats SET fault = 'late', fault_detail = 'x' WHERE idx = 4 AND seat = 0",
)
changed(
    "The salt of a tournament that is over is changed",
    "UPDATE tournaments SET settings = json_set(settings, '$.salt', '" + "0" * 64 + "')",
)


@files(NO_PANIC)
def hostile_settings(ground, trial):
    """Settings in the journal are of no tournament"""
    trial.sent("settings of a game that is a list, 2^64 rounds, a game that is not there, deep JSON")
    deep = '{"game":"flipfour","options":' + "[" * 900 + "]" * 900 + "}"
    for settings in ('{"game":[]}', '{"game":"none"}', '{"game":"flipflop-3x3","rounds":1e99}', deep):
        arena = ground.copied_arena()

        def change(journal, settings=settings):
            journal.execute("UPDATE tournaments SET settings = ?", [settings])

        change_journal(ground.run.path(arena, "journal.sqlite"), change)
        for command in (["verify", "--all"], ["table", "cup"], ["export", "cup", ground.new("x.tar.zst")]):
            trial.refuses(ground.run(*command, "--arena", arena))


@files(TERMINAL)
def hostile_names(ground, trial):
    """Names and reasons in a journal steer the terminal"""
    hostile = "bad\x1b[2J\u202e\nplace 1: forged"
    trial.sent(f"names of bots, workers, reasons of voids and faults: {hostile!r}")
    arena = ground.copied_arena()

    def change(journal):
        journal.execute("UPDATE match_seats SET fault = ?, fault_detail = ?", [hostile, hostile])
        journal.execute("UPDATE matches SET reason = ?", [hostile])
        journal.execute("INSERT INTO voids VALUES (1, 0, ?, 1)", [hostile])
        journal.execute("INSERT INTO banned_workers VALUES (?, ?, 1)", [hostile, hostile])

    change_journal(ground.run.path(arena, "journal.sqlite"), change)
    for command in (
        ["matches"],
        ["matches", "--show", "cup-0"],
        ["table", "cup", "--full"],
        ["verify", "--all"],
        ["workers", "--tournament", "cup"],
        ["-vv", "ratings"],
    ):
        done = ground.run(*command, "--arena", arena)
        text = (done.stdout + done.stderr).decode()
        trial.must(not steers(text.replace("\n", "")), f"{command[0]} steers the terminal")
        trial.must("\nplace 1: forged" not in text, f"{command[0]} prints a forged line")
    trial.came("escaped")


@attack("files", "a neighbour", PRIVATE)
def open_backup(ground, trial):
    """A neighbour reads the salts in a backup or an archive"""
    trial.sent("umask 0; `flipside backup`, `export`, `keygen` into new files")
    before = os.umask(0)
    try:
        arena, name = ground.copied_arena(), ground.new("b.tar.zst")
        ground.run.ok("backup", name, "--arena", arena)
        archive = ground.new("a.tar.zst")
        ground.run.ok("export", "cup", archive, "--arena", arena)
        key = ground.new("worker.key")
        ground.run.ok("keygen", "--worker", key)
        other = ground.new("arena")
        ground.run.ok("tournament", "flipflop-3x3", "sample:random", "sample:greedy", "--arena", other)
        ground.run.ok("keygen", "--arena", other)
    finally:
        os.umask(before)
    paths = [name, archive, key, f"{other}/journal.sqlite", f"{other}/signing.key", f"{other}/bots", f"{other}/cache"]
    for path in paths:
        mode = os.stat(ground.run.path(path)).st_mode & 0o777
        trial.came(f"{os.path.basename(path)}: {mode:o}")
        trial.must(mode & 0o077 == 0, f"{path} has mode {mode:o}")
