"""Attacks by archives that somebody imports: tar and zstd in every hostile form, and results that were not played."""

import hashlib
import json
import tarfile

from .ground_files import BOMB, closed, entries_of, lines_of, packed_zeros, plain_entry, tar_of
from .promises import COUNTS, NO_PANIC, SIGNED, TERMINAL, UNPACKS
from .trial import attack, packed, steers, unpacked


def files(promise):
    return attack("files", "a file", promise)


KINDS = {"file": tarfile.REGTYPE, "symlink": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE, "device": tarfile.CHRTYPE}


def hostile_entry(kind, name, link=""):
    """An attack by an entry that would touch a file outside, if it were unpacked."""

    def run(ground, trial):
        there = link.replace("@", ground.outside)
        trial.sent(f"{kind}: {name} {there and 'to a file outside'}")
        entry = plain_entry(name.replace("@", ground.outside), link=there, kind=KINDS[kind])
        for place in (0, 1, None):

            def insert(entries, at=place):
                entries.insert(len(entries) if at is None else at, entry)

            data = ground.with_archive(insert)
            ground.imported(trial, data)

    return run


def named(words, run):
    run.__doc__ = words
    return run


files(UNPACKS)(named("An entry leads up and out of the archive", hostile_entry("file", "cup/../../outside/file")))
files(UNPACKS)(named("An entry has an absolute path", hostile_entry("file", "@/file")))
files(UNPACKS)(named("An entry is a symlink to a file outside", hostile_entry("symlink", "cup/archive.json", "@/file")))
files(UNPACKS)(
    named("An entry is a hard link to a file outside", hostile_entry("hard link", "cup/voids.jsonl", "@/file"))
)
files(UNPACKS)(named("An entry is a device", hostile_entry("device", "cup/archive.json")))


def edit_json(entries, name, change):
    for entry in entries:
        if entry[0].name.endswith(name):
            value = json.loads(entry[1])
            change(value)
            entry[1] = json.dumps(value).encode()


def edit_result(entries, change, index=0):
    """Changes the result of a match as the archive has it."""
    for entry in entries:
        if "/results/" in entry[0].name:
            lines = [json.loads(line) for line in entry[1].splitlines()]
            change(lines[index])
            entry[1] = "".join(json.dumps(line) + "\n" for line in lines).encode()


def edit_record(entries, change, index=0):
    """Changes a record, closes it again, and lets the result name it: all hashes fit."""
    for entry in entries:
        if entry[0].name.endswith(f"/records/cup-{index}.jsonl"):
            lines = lines_of(entry[1].decode())
            change(lines)
            entry[1] = closed(lines).encode()
            sha256 = hashlib.sha256(entry[1]).hexdigest()
    edit_result(entries, lambda line: line.update(record=sha256), index)


def swap(lines, key):
    seats = lines["seats"] if isinstance(lines, dict) else lines
    seats[0][key], seats[1][key] = seats[1][key], seats[0][key]


@files(COUNTS)
def other_winner(ground, trial):
    """The winner of a match is another one in the results"""
    trial.sent("points and places swapped in results/000000.jsonl")

    def change(line):
        swap(line, "points")
        swap(line, "place")

    ground.imported(trial, ground.with_archive(lambda entries: edit_result(entries, change)))


@files(COUNTS)
def other_winner_in_both(ground, trial):
    """The winner is another one in the result and in its record, with hashes that fit"""
    trial.sent("results and the line `over` with points and places swapped, closing hash anew")

    def in_record(lines):
        for key in ("points", "places"):
            lines[-1][key].reverse()

    def change(entries):
        edit_record(entries, in_record)
        edit_result(entries, lambda line: (swap(line, "points"), swap(line, "place")))

    ground.imported(trial, ground.with_archive(change))


@files(COUNTS)
def other_action(ground, trial):
    """A record lacks an action, with hashes that fit"""
    trial.sent("one line `acts` taken out, closing hash anew")

    def in_record(lines):
        lines.remove(next(line for line in lines if line["type"] == "acts"))

    ground.imported(trial, ground.with_archive(lambda entries: edit_record(entries, in_record)))


@files(COUNTS)
def other_seed(ground, trial):
    """A record has a match seed of the attacker's choice, with a commitment that fits"""
    trial.sent("over.seed and commitment of another match")
    seed = bytes(range(32))
    commitment = hashlib.sha256(b"flipside match commitment\0" + seed + (0).to_bytes(8, "little")).hexdigest()

    def in_record(lines):
        lines[-1]["seed"], lines[0]["commitment"] = seed.hex(), commitment

    ground.imported(trial, ground.with_archive(lambda entries: edit_record(entries, in_record)))


@files(COUNTS)
def other_salt(ground, trial):
    """The settings have another salt than the records"""
    trial.sent("settings.salt = 0…")
    change = lambda value: value["settings"].update(salt="0" * 64)  # noqa: E731
    ground.imported(trial, ground.with_archive(lambda entries: edit_json(entries, "archive.json", change)))


@files(COUNTS)
def other_bot(ground, trial):
    """The results of a bot are told of another file"""
    trial.sent("sha256 of the first bot replaced in archive.json")
    change = lambda value: value["bots"][0].update(sha256="ab" * 32)  # noqa: E731
    ground.imported(trial, ground.with_archive(lambda entries: edit_json(entries, "archive.json", change)))


@files(COUNTS)
def same_match_twice(ground, trial):
    """A good result stands for a match that was not played"""
    trial.sent("result and record of match 0 once more in the place of match 1")

    def change(entries):
        first = next(data for entry, data in entries if entry.name.endswith("/cup-0.jsonl"))
        for entry in entries:
            if entry[0].name.endswith("/cup-1.jsonl"):
                entry[1] = first
            elif "/results/" in entry[0].name:
                lines = entry[1].decode().splitlines()
                lines[1] = lines[0]
                entry[1] = ("\n".join(lines) + "\n").encode()

    ground.imported(trial, ground.with_archive(change))


def sha_of(ground, name):
    bots = json.loads(ground.run.ok("bots", "--json"))
    return next(bot["sha256"] for bot in bots if bot["name"] == name)


@files(COUNTS)
def module_of_others(ground, trial):
    """Moves that a module would never choose are told of it"""
    trial.sent("records of `other`, which plays at random, as those of `first`; into the arena that has both")
    first = sha_of(ground, "first")

    def in_record(lines):
        for seat in lines[0]["seats"]:
            if seat["bot"].startswith("other"):
                seat["sha256"] = first

    def change(entries):
        matches = next(json.loads(data)["matches"] for entry, data in entries if entry.name.endswith("archive.json"))
        for index in range(matches):
            edit_record(entries, in_record, index)

        def rename(value):
            value["tournament"] = "cup"
            for bot in value["bots"]:
                if bot["name"] == "other":
                    bot["sha256"] = first

        edit_json(entries, "archive.json", rename)

    arena = ground.copied_arena()
    ground.run.ok("delete", "other@1", "--arena", arena)
    data = ground.with_archive(change)
    file = ground.run.write(ground.new("hostile.tar.zst"), data)
    trial.refuses(ground.run("import", file, "--arena", arena, "--name", "forged", "--origin", "club"))
    trial.must("forged" not in ground.run.ok("tournaments", "--arena", arena), "a tournament came in")


@files(NO_PANIC)
def duplicate_keys(ground, trial):
    """A key stands twice, so that two readers see two archives"""
    trial.sent('{"matches": 2, …, "matches": 12}')

    def change(entries):
        entries[0][1] = entries[0][1].replace(b'"matches":', b'"matches": 2, "matches":', 1)

    ground.imported(trial, ground.with_archive(change))


@files(NO_PANIC)
def deep_json(ground, trial):
    """JSON is nested a million times"""
    trial.sent("archive.json of 1,000,000 brackets")
    ground.imported(trial, packed(tar_of([plain_entry("cup/archive.json", b"[" * 1_000_000)])))


@files(UNPACKS)
def bomb(ground, trial):
    """Some kilobytes unpack to gigabytes"""
    entry = tarfile.TarInfo("cup/archive.json")
    entry.size = BOMB
    data = packed_zeros(entry.tobuf(tarfile.GNU_FORMAT), BOMB)
    trial.sent(f"{len(data) >> 10} KiB that are {BOMB >> 30} GiB of zeros")
    ground.imported(trial, data)


@files(UNPACKS)
def large_window(ground, trial):
    """A zstd frame asks for a window of 2 GiB"""
    tar = unpacked(ground.run.path("plain.tar.zst"))
    data = packed_zeros(tar, 64 << 20, "--ultra", "--long=31")
    trial.sent(f"a good archive in a frame whose window descriptor is {data[5]:#x}")
    assert data[5] >> 3 == 31 - 10, "zstd wrote another window"
    ground.imported(trial, data)


@files(UNPACKS)
def long_name(ground, trial):
    """A name in a header is hundreds of megabytes long"""
    trial.sent("GNU long name of 300 MB of zeros")
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, 300 << 20
    ground.imported(trial, packed_zeros(entry.tobuf(tarfile.GNU_FORMAT), 300 << 20))


@files(UNPACKS)
def sparse_entry(ground, trial):
    """A sparse entry and a size in base 256 claim exabytes"""
    trial.sent("GNU sparse header; size 2^62")
    entry = tarfile.TarInfo("cup/archive.json")
    entry.type, entry.size = tarfile.GNUTYPE_SPARSE, 1 << 62
    ground.imported(trial, packed(entry.tobuf(tarfile.GNU_FORMAT) + bytes(2048)))


@files(SIGNED)
def appended(ground, trial):
    """Something follows a signed archive"""
    trial.sent("the same archive once more in a second zstd frame; bytes after the end of the tar archive")
    with open(ground.run.path("cup.tar.zst"), "rb") as file:
        good = file.read()
    ground.imported(trial, good + good)
    ground.imported(trial, packed(unpacked(ground.run.path("cup.tar.zst")) + b"hidden"))


@files(COUNTS)
def second_archive(ground, trial):
    """A second archive rides behind an archive that is not signed"""
    trial.sent("a good archive, and in a second zstd frame one in which other bots win")
    with open(ground.run.path("plain.tar.zst"), "rb") as file:
        good = file.read()
    forged = ground.with_archive(lambda entries: edit_result(entries, lambda line: swap(line, "points")))
    file, arena = ground.run.write(ground.new("hostile.tar.zst"), good + forged), ground.new("arena")
    done = ground.run("import", file, "--arena", arena)
    trial.came(f"exit {done.returncode}")
    if done.returncode == 0:
        table = lambda of: json.loads(ground.run.ok("table", "cup", "--json", "--arena", of))["rows"]  # noqa: E731
        trial.must(table(arena) == table("arena"), "the table is another one")
        trial.must(ground.run("verify", "--all", "--arena", arena).returncode == 0, "what came in does not verify")
    else:
        trial.refuses(done)


@files(COUNTS)
def cut(ground, trial):
    """An archive ends in the middle"""
    trial.sent("the first half; all but the last byte; and without the last record")
    with open(ground.run.path("plain.tar.zst"), "rb") as file:
        good = file.read()
    for data in (good[: len(good) // 2], good[:-1], ground.with_archive(lambda entries: entries.pop())):
        ground.imported(trial, data)


@files(SIGNED)
def changed_signed(ground, trial):
    """A signed archive has one other byte"""
    trial.sent("a start of a match one millisecond later, in a signed archive")

    def change(line):
        line["started_at"] += 1

    ground.imported(trial, ground.with_archive(lambda entries: edit_result(entries, change), "cup.tar.zst"))


@files(SIGNED)
def key_of_others(ground, trial):
    """An archive names the key of another arena"""
    trial.sent("signature.json with the key of an arena that did not sign")
    theirs = ground.new("theirs")
    key = ground.run.ok("keygen", "--arena", theirs).split()
    key = next(word for word in key if word.startswith("ed25519:"))

    def change(value):
        value["signature"]["key"] = key

    ground.imported(
        trial, ground.with_archive(lambda entries: edit_json(entries, "signature.json", change), "cup.tar.zst")
    )


@files(SIGNED)
def halfway_signed(ground, trial):
    """A signature of an archive stands in another one"""
    trial.sent("signature.json of the signed archive behind another one of the same tournament")
    signature = entries_of(ground.run.path("cup.tar.zst"))[-1]
    ground.imported(trial, ground.with_archive(lambda entries: entries.append(signature)))


@files(TERMINAL)
def hostile_words(ground, trial):
    """Names in an archive steer the terminal of whoever imports it"""
    hostile = "bad\x1b[2J\u202e\nplace 1: forged"
    trial.sent(f"tournament, bots and settings named {hostile!r}")
    for where in ("tournament", "bots", "game"):

        def change(value, where=where):
            if where == "tournament":
                value["tournament"] = hostile
            elif where == "bots":
                value["bots"][0]["name"] = hostile
            else:
                value["settings"]["game"] = hostile

        said = ground.imported(trial, ground.with_archive(lambda entries: edit_json(entries, "archive.json", change)))
        trial.must(not steers(said) and "\nplace 1: forged" not in said, "the message steers the terminal")


@files(COUNTS)
def path_as_name(ground, trial):
    """The name of a tournament is a path"""
    trial.sent('"tournament": "../../outside/x"')

    def change(value):
        value["tournament"] = "../../outside/x"

    ground.imported(trial, ground.with_archive(lambda entries: edit_json(entries, "archive.json", change)))


@files(NO_PANIC)
def large_numbers(ground, trial):
    """Numbers are as large as can be written"""
    trial.sent("matches = 2^64 - 1, rounds = 2^32 - 1, 1e400, seats = 255")
    for key, number in (("matches", 2**64 - 1), ("rounds", 2**32 - 1), ("seats", 255), ("seed", "1e400")):

        def change(value, key=key, number=number):
            (value if key == "matches" else value["settings"])[key] = number

        data = ground.with_archive(lambda entries: edit_json(entries, "archive.json", change))
        ground.imported(trial, data)
