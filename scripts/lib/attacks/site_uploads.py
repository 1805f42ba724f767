"""Attacks by the files that authors upload: archives in every form, and bots that look around in their check."""

import copy
import io
import json
import os
import re
import tarfile

from .ground_files import packed_zeros, plain_entry, tar_of
from .ground_site import GAME, bot
from .promises import BUNDLES, CHECKED, PATHS, SIZES
from .trial import attack, packed, unpacked

OUTSIDE = "canary-of-a-file-outside"


def site(who, promise):
    return attack("site", who, promise)


class Uploader:
    """An author with as many accounts as uploads need: each may upload ten at once."""

    def __init__(self, ground):
        self.ground, self.who, self.left, self.number = ground, None, 0, 0
        self.link = ground.invite("--uses", "60")

    def upload(self, data, name="evil"):
        if not self.left:
            self.number, self.left = self.number + 1, 4
            self.who = self.ground.account(f"uploader{self.number}", self.link)
        self.left -= 1
        answer = self.who.put_bot(f"{name}{self.number}x{self.left}", data)
        if answer.status != 202:
            return answer.status, {"state": "refused", "said": answer.detail}
        return answer.status, self.ground.checked(self.who, answer.json["upload"])


def uploader(ground):
    if not hasattr(ground, "uploader"):
        ground.uploader = Uploader(ground)
    return ground.uploader


def bundle(ground):
    """The entries of a good bundle, as `flipside pack` writes them."""
    if not hasattr(ground, "bundle"):
        with open(ground.run.path("first.wat"), "rb") as file:
            ground.run.write("bundle/bot.wat", file.read())
        ground.run.write("bundle/bot.toml", 'name = "b"\nlanguage = "wasm"\n')
        ground.run.ok("pack", "./bundle", "good.tar.zst")
        ground.bundle = unpacked(ground.run.path("good.tar.zst"))
    with tarfile.open(fileobj=io.BytesIO(ground.bundle)) as archive:
        return [[entry, archive.extractfile(entry).read() if entry.isfile() else b""] for entry in archive]


def refused(ground, trial, data):
    status, upload = uploader(ground).upload(data)
    trial.came(f"{status} {upload['state']}: {str(upload.get('said'))[:60]}")
    trial.must(upload["state"] == "refused", f"it is {upload['state']}: {upload.get('said')}")
    trial.must("panicked" not in json.dumps(upload), "it panics")
    untouched(ground, trial)


def untouched(ground, trial):
    with open(ground.run.path("outside"), encoding="utf-8") as file:
        trial.must(file.read() == OUTSIDE, "a file outside was touched")
    for name in os.listdir(ground.run.folder):
        trial.must(not name.startswith("evil"), f"{name} was made")


def by_entries(words, entries):
    """An attack by a bundle with one more entry, or several, at its place in the order."""

    def run(ground, trial):
        for head, data in entries:
            entry = [copy.copy(head), data]
            name = entry[0].name = head.name.replace("@", ground.run.folder)
            trial.sent(f"{name[:40]} {entry[0].linkname[:40]}")
            there = bundle(ground)
            for place in (len(there), 0):
                refused(ground, trial, packed(tar_of(there[:place] + [entry] + there[place:])))

    run.__doc__ = words
    site("an author", BUNDLES)(run)


by_entries(
    "A bundle has a file whose path leads out", [plain_entry("../../evil", b"x"), plain_entry("a/../../evil", b"x")]
)
by_entries("A bundle has a file with an absolute path", [plain_entry("@/evil", b"x")])
by_entries(
    "A bundle has a symlink that leads out",
    [
        plain_entry("z", link="../../../../etc/passwd", kind=tarfile.SYMTYPE),
        plain_entry("zz", link="/etc/passwd", kind=tarfile.SYMTYPE),
    ],
)
by_entries("A bundle has a hard link", [plain_entry("z", link="bot.wat", kind=tarfile.LNKTYPE)])
by_entries(
    "A bundle has a device, a named pipe or a set-user-id program",
    [
        plain_entry("z", kind=tarfile.CHRTYPE),
        plain_entry("z", kind=tarfile.FIFOTYPE),
        plain_entry("z", b"x", mode=0o4755),
    ],
)


@site("an author", BUNDLES)
def through_link(ground, trial):
    """A bundle has a link to a folder, and then a file through it"""
    trial.sent("z → a folder outside, then z/evil; z → . , then z/z/bot.wat")
    for target in (ground.run.folder, "../../..", "."):
        more = [plain_entry("z", link=target, kind=tarfile.SYMTYPE), plain_entry("z/evil", b"x")]
        refused(ground, trial, packed(tar_of(bundle(ground) + more)))


@site("an author", BUNDLES)
def doubled(ground, trial):
    """A bundle has a path twice, in two cases, or as a file and a folder"""
    trial.sent("bot.toml twice; z and z/a; ./bot.toml; bot.toml/")
    for more in (
        [plain_entry("bot.toml", b'command = ["sh"]')],
        [plain_entry("z", b"x"), plain_entry("z/a", b"x")],
        [plain_entry("./bot.toml", b"")],
        [plain_entry("z", kind=tarfile.DIRTYPE), plain_entry("z", b"x")],
    ):
        refused(ground, trial, packed(tar_of(bundle(ground) + more)))


@site("an author", BUNDLES)
def bomb(ground, trial):
    """A bundle of some kilobytes unpacks to gigabytes"""
    entry = plain_entry("zeros")[0]
    entry.size = 3 << 30
    head = tar_of(bundle(ground))
    head = head[: len(head.rstrip(b"\0")) // 512 * 512 + 512]
    data = packed_zeros(head + entry.tobuf(tarfile.GNU_FORMAT), 3 << 30)
    trial.sent(f"{len(data) >> 10} KiB that are 3 GiB")
    refused(ground, trial, data)
    cache = sum(
        os.path.getsize(os.path.join(place, name))
        for place, _, names in os.walk(ground.run.path("arena", "cache"))
        for name in names
    )
    trial.must(cache < 1 << 30, f"{cache >> 20} MiB are left in the cache")


@site("an author", BUNDLES)
def many_files(ground, trial):
    """A bundle has more files than the limits allow, or a path of a thousand folders"""
    trial.sent("60,000 empty files; a path of 1,000 folders; a name of 300 bytes")
    many = [plain_entry(f"f/{number:06}") for number in range(60_000)]
    for more in (many, [plain_entry("a/" * 1000 + "f", b"x")], [plain_entry("n" * 300, b"x")]):
        refused(ground, trial, packed(tar_of(sorted(bundle(ground) + more, key=lambda entry: entry[0].name))))


@site("an author", BUNDLES)
def otherwise_packed(ground, trial):
    """A bundle is packed otherwise than Flipside does, with bytes that nobody looks at"""
    good = packed(ground.bundle) if bundle(ground) else b""
    trial.sent("bytes behind the archive; a second frame; a skippable frame before it; another time; the first half")
    later = bundle(ground)
    for entry, _ in later:
        entry.mtime = 1
    skippable = b"\x50\x2a\x4d\x18" + (16).to_bytes(4, "little") + b"x" * 16
    for data in (
        packed(ground.bundle + b"hidden"),
        good + good,
        skippable + good,
        packed(tar_of(later)),
        good[: len(good) // 2],
        good + b"\0",
    ):
        refused(ground, trial, data)


@site("an author", SIZES)
def uncounted_bytes(ground, trial):
    """A bundle has megabytes that no file of it has, and that nobody counts"""
    good = packed(ground.bundle) if bundle(ground) else b""
    size = 16 << 20
    trial.sent(f"a frame of {size >> 20} MiB that decompression skips, behind the archive")
    _, upload = uploader(ground).upload(good + b"\x50\x2a\x4d\x18" + size.to_bytes(4, "little") + bytes(size))
    trial.came(f"{upload['state']}: {str(upload.get('said'))[:60]}")
    trial.must(
        upload["state"] == "refused", f"it is {upload['state']}, and counts as {len(ground.bundle)} bytes at most"
    )


@site("an author", CHECKED)
def told_path(ground, trial):
    """The report of a check tells where the server keeps its files"""
    trial.sent("a module with 4 GiB of memory; a script without an interpreter; a broken bundle")
    for data in (
        b'(module (memory (export "memory") 65536) (func (export "_start")))',
        b"#!/none\n",
        b"(module",
        b"\x7fELF" + bytes(4000),
        packed(b"x" * 2000),
    ):
        _, upload = uploader(ground).upload(data)
        trial.lacks(
            json.dumps(upload),
            {"the folder of the server": ground.run.folder, "the folder of uploads": "arena/uploads"},
            "the report",
        )
    trial.came("the name of the bot instead")


@site("an author", CHECKED)
def hostile_toml(ground, trial):
    """bot.toml starts a program of the machine, or a file outside of the bundle"""
    texts = [
        'command = [""]',
        'command = ["--help"]',
        'command = ["../../../../bin/sh"]',
        "command = []",
        'command = ["/bin/sh", "-c", "touch @"]',
        'language = "wasm"\nmain = "../../bot.wat"',
        'language = "wasm"\nmain = "/etc/passwd"',
        'language = "none"',
        'language = "wasm"\nmemory = "9 EiB"',
        'language = "wasm"\nname = "../../x"',
        "a" * 100_000,
        "[" * 5000,
    ]
    trial.sent("; ".join(text[:40] for text in texts))
    mark = ground.run.path("evil-mark")
    for text in texts:
        entries = bundle(ground)
        for entry in entries:
            if entry[0].name.endswith("bot.toml"):
                entry[1] = text.replace("@", mark).encode()
        refused(ground, trial, packed(tar_of(entries)))
    trial.must(not os.path.exists(mark), "a program outside of the isolation ran")


LOOKS = """#!/usr/bin/env python3
import os, socket, sys
said = []
for path in @PATHS@:
    try:
        said.append(open(path, 'rb').read(64).hex())
    except OSError as error:
        said.append(type(error).__name__)
for host, port in @PORTS@:
    try:
        socket.create_connection((host, port), 2).close()
        said.append('connected')
    except OSError as error:
        said.append(type(error).__name__)
try:
    said.append(' '.join(os.listdir('/proc')))
    said.append(repr(dict(os.environ)))
except OSError as error:
    said.append(type(error).__name__)
try:
    open(@MARK@, 'w').write('x')
    said.append('written')
except OSError as error:
    said.append(type(error).__name__)
sys.stderr.write('LOOKED ' + ' | '.join(said) + chr(10))
sys.stderr.flush()
"""


@site("an author", CHECKED)
def looks_around(ground, trial):
    """A bot reads the secrets of the site, connects to it, and writes files, while it is checked"""
    arena, mark = ground.run.path("arena"), ground.run.path("evil-mark")
    paths = [os.path.join(arena, name) for name in ("site.db", "journal.sqlite", "signing.key")] + [
        ground.run.path("outside")
    ]
    paths += [
        f"/proc/{ground.served.process.pid}/environ",
        f"/proc/{ground.served.process.pid}/root{ground.run.path('outside')}",
    ]
    text = LOOKS.replace("@PATHS@", repr(paths)).replace(
        "@PORTS@", repr([("127.0.0.1", ground.port), ("127.0.0.1", ground.listener.port)])
    )
    trial.sent("a script that opens site.db, journal.sqlite, signing.key and the site's port, and reports what it got")
    _, upload = uploader(ground).upload(text.replace("@MARK@", repr(mark)))
    report = json.dumps(upload)
    found = re.search(r"LOOKED ([^\\\"]*)", report)
    trial.must(found is not None, f"the bot did not run: {report[:300]}")
    said = found[1] if found else ""
    trial.came(said[:110])
    trial.lacks(
        report,
        {
            "a file": OUTSIDE.encode()[:20].hex(),
            "a database": b"SQLite format".hex(),
            "a connection": "connected",
            "a file that it wrote": "written",
            **ground.secrets,
        },
        "the report",
    )
    trial.must(not os.path.exists(mark), "a file outside was written")


@site("an author", CHECKED)
def other_interpreter(ground, trial):
    """The first line of a script lets a program of the machine show a secret"""
    arena = ground.run.path("arena")
    lines = [
        f"#!/bin/cat {arena}/site.db",
        f"#!/usr/bin/env -S cat {arena}/site.db {arena}/signing.key",
        f"#!{ground.run.program} --arena",
        f"#!/bin/dd if={arena}/journal.sqlite",
        f"#!{arena}/bots",
        "#!" + "/" * 5000,
        "#! ",
        "#!/proc/self/exe",
    ]
    trial.sent("; ".join(line.replace(arena, "ARENA")[:40] for line in lines))
    for line in lines:
        status, upload = uploader(ground).upload(line + "\n")
        report = json.dumps(upload)
        trial.must(upload["state"] in ("refused", "failed"), f"{line[:30]}: {upload['state']}")
        trial.lacks(report, {"a database": "SQLite format", **ground.secrets}, line[:30])
        trial.came(f"{status} {upload['state']}")


@site("an author", CHECKED)
def exhausts(ground, trial):
    """A bot forks without an end, fills stderr and memory, and keeps the check from others"""
    trial.sent(
        "a fork bomb; 1 GB to stderr; 4 GB of memory; a process that outlives it; then an upload of another author"
    )
    for text in (
        "#!/bin/sh\nf() { f | f & }; f\n",
        "#!/bin/sh\nyes canary >&2\n",
        "#!/usr/bin/env python3\nx = []\nwhile True: x.append(bytes(1 << 24))\n",
        "#!/bin/sh\n(sleep 120; echo) &\nexit 0\n",
    ):
        _, upload = uploader(ground).upload(text)
        trial.must(upload["state"] == "refused", f"{text[10:30]!r}: {upload['state']} {upload.get('said')}")
        trial.must(len(json.dumps(upload)) < 2 << 20, "a long report")
    other = ground.account("patient", ground.link)
    trial.must(
        ground.accepted(other, "patient", bot(mark="patient"))["state"] == "accepted", "an honest bot is refused"
    )
    trial.came("refused; the next bot is accepted")
    trial.must(ground.served.is_alive(), "the server does not answer")


@site("an author", CHECKED)
def hostile_modules(ground, trial):
    """A module asks for endless memory, tables, imports or compilation, or is cut"""
    deep = '(module (func (export "_start") ' + "(block " * 20_000 + ")" * 20_000 + "))"
    texts = [
        '(module (memory (export "memory") 65536) (func (export "_start")))',
        '(module (table 4294967295 funcref) (func (export "_start")))',
        '(module (import "env" "system" (func)) (func (export "_start")))',
        deep,
        "(module" + " (func nop)" * 300_000 + ")",
        '(module (func $f (call $f)) (func (export "_start") (call $f)))',
        "(module",
        '(module (func (export "_start") (loop (br 0))))',
    ]
    trial.sent("memory of 4 GiB, a table of 2^32, imports of the machine, 20,000 blocks, 300,000 functions, loops")
    for text in texts:
        refused(ground, trial, text.encode())
    refused(ground, trial, b"\0asm\x01\0\0\0" + b"\xff" * 1000)
    refused(ground, trial, b"\x7fELF" + bytes(60) + b"\xff" * 4000)


@site("an author", PATHS)
def path_as_bot_name(ground, trial):
    """The name of an upload is a path"""
    names = ["../../evil", "..%2f..%2fevil", ground.run.path("evil"), "a/b", ".", "..", "evil\0", "e" * 300, "-rf", "evil;ls"]
    trial.sent(", ".join(repr(name)[:20] for name in names))
    for name in names:
        answer = ground.mallory.put_bot(name, bot())
        trial.must(400 <= answer.status < 500, f"{name!r}: {answer.status}")
    folder = ground.run.path("arena", "uploads")
    odd = [name for name in os.listdir(folder) if not re.fullmatch(r"[\w.-]+", name) or "evil" in name]
    trial.must(not odd, f"uploads/ has {odd}")
    untouched(ground, trial)
    trial.came("400, 404, 422")


@site("an author", CHECKED)
def games_of_upload(ground, trial):
    """An upload names games that are not there, thousands of them, or other parameters"""
    trial.sent("?game=none, ?game=../x, ?trust=true, ?owner=ada, 2,000 games")
    for query in ("?game=none", "?game=..%2fx", "?trust=true", "?owner=ada", "?game=" + "&game=".join([GAME] * 500)):
        answer = ground.mallory.ask("PUT", f"/api/v1/bots/evil-games{query}", bot(mark=query[:30]))
        trial.must(400 <= answer.status < 500, f"{query[:30]}: {answer.status}")
    trial.came("4xx")
