"""Attacks by HTTP itself: paths, fields that are paths, requests in requests, and malformed ones."""

import gzip
import json
import os
import time

from .ground_site import GAME
from .promises import HEADERS, HTTP, PATHS, ROLES
from .trial import attack
from .web import HOST, Answer, raw

OUTSIDE = "canary-of-a-file-outside"


def site(who, promise):
    return attack("site", who, promise)


@site("a stranger", PATHS)
def traversal(ground, trial):
    """A path leads out of the files of the site"""
    ups = [
        "../" * 8,
        "..%2f" * 8,
        "%2e%2e/" * 8,
        "%2e%2e%2f" * 8,
        "..%5c" * 8,
        "....//" * 8,
        "%252e%252e%252f" * 8,
        "..%c0%af" * 8,
        "..;/" * 8,
        "%00../" * 4,
        "/" * 3,
    ]
    places = [
        "/assets/",
        "/guides/",
        "/games/",
        "/bots/",
        "/account/bots/",
        "/tournaments/",
        "/matches/",
        "/uploads/",
        "/api/v1/games/",
        "/api/v1/bots/",
        "/api/v1/matches/",
        "/",
    ]
    files = ["etc/passwd", "site.db", "journal.sqlite", "signing.key", "outside", "arena/site.db"]
    trial.sent(f"{len(ups)} ways up × {len(places)} places × {len(files)} files")
    for place in places:
        for up in ups:
            for file in files[:2] if len(up) > 40 else files:
                answer = ground.ada.get(place + up + file)
                trial.must(answer.status in (303, 400, 404, 405), f"{place}{up}{file}: {answer.status}")
                trial.lacks(
                    answer.raw, {"a file": OUTSIDE, "a password": "root:x:", "a database": "SQLite format"}, place
                )
    trial.came("404, 400")


@site("an author", PATHS)
def path_in_fields(ground, trial):
    """A field that names a bot, a game or a tournament is a path to a file of the machine"""
    outside = ground.run.path("outside")
    paths = [
        outside,
        "./outside",
        "../outside",
        "first.wat",
        "./first.wat",
        "bots/x",
        "arena/bots",
        "/dev/zero",
        "~",
        ".",
    ]
    trial.sent(f"{', '.join(paths[1:])} as bots, games, tournaments, in forms, JSON and TOML")
    organiser = ground.olga.browser()
    for path in paths:
        toml = f'name = "p"\ngame = "{GAME}"\nbots = ["{path}", "sample:random"]\n'
        answers = [
            ground.ada.api("POST", "/requests", {"game": GAME, "bots": [path, "sample:random"]}),
            ground.ada.api("POST", "/play", {"game": GAME, "bots": [path]}),
            ground.ada.browser().form("/request", game=GAME, bots=f"{path}, sample:random", rounds=1),
            ground.olga.api("POST", "/tournaments", {"name": "p", "game": GAME, "bots": [path, "sample:random"]}),
            ground.olga.api("POST", "/tournaments/hidden/join", {"bots": [path]}),
            organiser.form("/organiser/queue/file", toml=toml),
        ]
        for at, answer in enumerate(answers):
            trial.must(400 <= answer.status < 500, f"{path} in field {at}: {answer.status}")
            trial.lacks(answer.raw, {"a file": OUTSIDE}, "the answer")
        # What a ladder begins with is looked at when it begins.
        organiser.form("/organiser/ladders", game="flipfour", a_day=5, bots=f"{path}, sample:random")
        time.sleep(1)
        trial.must(
            ground.stranger.api("GET", "/tournaments/ladder-flipfour").status == 404, f"a ladder begins with {path}"
        )
        organiser.form("/organiser/ladders/stop", game="flipfour")
    trial.came("400, 404, 422; no ladder begins")


@site("an organiser's browser", ROLES)
def trust_by_toml(ground, trial):
    """A description of a tournament turns the isolation off, or takes another arena, worker or file"""
    base = f'name = "t"\ngame = "{GAME}"\nbots = ["bobbot", "sample:random"]\n'
    more = [
        "trust = true",
        "arena = 'other'",
        "workers = 'nats://127.0.0.1:1'",
        "file = '/etc/passwd'",
        "seed = '7-'",
        "use-affinity = true\ntrust = true",
        "[bot.bobbot]\nmemory = '1 TiB'\ntrust = true",
    ]
    trial.sent("; ".join(more))
    for text in more:
        answer = ground.olga.browser().form("/organiser/queue/file", toml=base + text)
        trial.must(400 <= answer.status < 500, f"{text}: {answer.status}")
    answer = ground.olga.api(
        "POST", "/tournaments", {"name": "t", "game": GAME, "bots": ["bobbot", "sample:random"], "trust": True}
    )
    trial.must(400 <= answer.status < 500, f"trust as JSON: {answer.status}")
    trial.gets(ground.stranger.api("GET", "/tournaments/t"), 404)


@site("a stranger", HTTP)
def smuggled(ground, trial):
    """A request is hidden in the body of another one, and done with the rights of a visitor who comes later"""
    host = f"Host: {HOST}:{ground.port}\r\n"
    inner = f"GET /canary-smuggled HTTP/1.1\r\n{host}\r\n"
    chunked = f"0\r\n\r\n{inner}"
    kinds = {
        "two lengths": f"Content-Length: 5\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
        "length and chunks": f"Content-Length: {len(chunked)}\r\nTransfer-Encoding: chunked\r\n\r\n{chunked}",
        "chunks and length 4": f"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n{chunked}",
        "xchunked": f"Transfer-Encoding: xchunked\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
        "chunked twice": f"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n{chunked}",
        "space before the colon": f"Content-Length : {len(inner)}\r\n\r\n{inner}",
        "folded": f"Transfer-Encoding:\r\n chunked\r\n\r\n{chunked}",
        "plus": f"Content-Length: +{len(inner)}\r\n\r\n{inner}",
        "hexadecimal": f"Content-Length: 0x{len(inner):x}\r\n\r\n{inner}",
        "a bad chunk": f"Transfer-Encoding: chunked\r\n\r\n-1\r\n{inner}",
        "a huge chunk": f"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n{inner}",
        "bare line feed": f"X: a\nContent-Length: {len(inner)}\n\n{inner}",
        "a zero byte": "X: a\0b\r\nContent-Length: 0\r\n\r\n",
    }
    trial.sent(", ".join(kinds))
    for name, rest in kinds.items():
        data = (f"POST /sign-in HTTP/1.1\r\n{host}X-Forwarded-For: {ground.visitor().address}\r\n" + rest).encode()
        answer = raw(ground.port, data, 3)
        count = answer.count(b"HTTP/1.1 ")
        trial.must(count <= 2, f"{name}: {count} answers")
        ambiguous = name in (
            "two lengths",
            "plus",
            "hexadecimal",
            "a bad chunk",
            "a huge chunk",
            "space before the colon",
            "a zero byte",
        )
        if ambiguous:
            trial.must(answer[9:12] in (b"400", b"403") or not answer, f"{name}: {answer[:40]!r}")
            trial.must(b"canary-smuggled" not in answer and count <= 1, f"{name}: the hidden request was answered")
    trial.gets(ground.stranger.get("/healthz"), 200, words="the next visitor")


@site("a stranger", HTTP)
def malformed(ground, trial):
    """Requests that are none: other protocols, methods, versions, hosts and addresses"""
    host = f"Host: {HOST}:{ground.port}\r\n"
    requests = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(64),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\r\n\r\n",
        b"\r\n" * 1000,
        b"\x00" * 4096,
        os.urandom(4096),
        f"TRACE /x HTTP/1.1\r\n{host}X-Canary: traced\r\nConnection: close\r\n\r\n".encode(),
        f"CONNECT 127.0.0.1:22 HTTP/1.1\r\n{host}\r\n".encode(),
        f"OPTIONS * HTTP/1.1\r\n{host}Connection: close\r\n\r\n".encode(),
        f"GET http://evil.example/ HTTP/1.1\r\n{host}Connection: close\r\n\r\n".encode(),
        f"GET /live HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n".encode(),
        f"GET / HTTP/1.1\r\n{host}{host}Connection: close\r\n\r\n".encode(),
        b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        f"GET /{'a' * 3000} HTTP/1.1\r\n{host}Connection: close\r\n\r\n".encode(),
        f"GET / HTTP/1.1\r\n{host}{''.join(f'X-{n}: y' + chr(13) + chr(10) for n in range(3000))}\r\n".encode(),
        f"GET / HTTP/1.1\r\n{host}X: {'y' * (64 << 10)}\r\n\r\n".encode(),
    ]
    trial.sent(
        f"{len(requests)} requests: HTTP/2, TLS, TRACE, CONNECT, WebSocket, no host, two hosts, 3,000 headers, …"
    )
    for data in requests:
        answer = raw(ground.port, data, 2)
        trial.must(
            b"traced" not in answer and b" 101 " not in answer[:20] and b" 500 " not in answer[:20],
            f"{data[:20]!r}: {answer[:40]!r}",
        )
    trial.must(Answer(raw(ground.port, requests[-1], 5)).status in (0, 431), "long headers are taken")
    trial.gets(ground.stranger.get("/healthz"), 200, words="afterwards")


@site("a stranger", HTTP)
def packed_body(ground, trial):
    """A body is compressed, deeply nested, not UTF-8, or has a field ten thousand times"""
    bomb = gzip.compress(bytes(64 << 20))
    deep = "[" * 30_000 + "]" * 30_000
    asked = {"game": GAME, "bots": ["sample:random", "sample:greedy"]}
    trial.sent("gzip of 64 MiB; 30,000 brackets; 10,000 fields; keys twice; NaN; lone surrogates; 70 KiB")
    for body, more in (
        (bomb, {"Content_Encoding": "gzip"}),
        (deep, {}),
        (f'{{"game":{deep}}}', {}),
        (b"\xff\xfe\x00", {}),
        ('{"game":"flipfour","game":"x","bots":[],"bots":["a","b"]}', {}),
        ('{"game":NaN}', {}),
        ('{"game":"\\ud800","bots":["a","b"]}', {}),
        (json.dumps({**asked, "rounds": 10**400}), {}),
        (json.dumps({**asked, "rounds": -1}), {}),
        (json.dumps({**asked, "x" * 60_000: 1}), {}),
        (b"x" * 70_000, {}),
    ):
        answer = ground.ada.ask("POST", "/api/v1/requests", body, **more)
        trial.must(400 <= answer.status < 500, f"{body[:20]!r}: {answer.status} {answer.detail}")
    fields = "&".join(f"f{number}=x" for number in range(8000))
    answer = ground.visitor().ask(
        "POST", "/sign-in", fields, Content_Type="application/x-www-form-urlencoded", Origin=ground.stranger.origin
    )
    trial.must(400 <= answer.status < 500, f"10,000 fields: {answer.status}")
    trial.gets(ground.stranger.get("/healthz"), 200, words="afterwards")


@site("an author", HTTP)
def broken_forms(ground, trial):
    """The form of an upload is broken: no end, no file, the file before the word, fields without an end"""
    browser, edge = ground.ada.browser(), "edge"
    part = (
        lambda name, value, more="": f'--{edge}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
        f"{value}\r\n"
    )  # noqa: E731
    word, file = part("word", browser.word), part("file", "#!/bin/sh\nexit\n", '; filename="../../x"')
    end = f"--{edge}--\r\n"
    bodies = [
        file + end,
        part("name", "adabot") + file + end,
        part("word", "0" * 64) + part("name", "adabot") + file + end,
        word + part("name", "../../outside") + file + end,
        word + part("name", "x" * 70_000) + file + end,
        word + part("name", "adabot"),
        word + "".join(part("game", GAME) for _ in range(500)) + end,
        word + part("evil", "x") + end,
        "--" + edge,
        "",
        word + part("name", "bobbot") + file + end,
        word + part("name", "ada\0bot") + file + end,
        word * 200 + end,
    ]
    trial.sent(f"{len(bodies)} forms to /upload")
    before = ground.ada.api("GET", "/uploads").json["items"][0]["upload"]
    for at, body in enumerate(bodies):
        answer = browser.ask(
            "POST",
            "/upload",
            body,
            Content_Type=f"multipart/form-data; boundary={edge}",
            Origin=browser.origin,
            seconds=20,
        )
        trial.must(400 <= answer.status < 500, f"form {at}: {answer.status} {answer.header('location')}")
    trial.must(ground.ada.api("GET", "/uploads").json["items"][0]["upload"] == before, "an upload was taken")
    trial.came("4xx")


@site("a stranger", HTTP)
def odd_queries(ground, trial):
    """A query asks for everything, for nothing, or speaks to the database"""
    trial.sent("limit = 10^9, -1, NaN; after = ' OR 1=1 --; keys twice; names of columns; a %00 and a half letter")
    paths = [
        "bots?limit=1000000000",
        "bots?limit=-1",
        "bots?limit=NaN",
        "bots?after='%20OR%201=1--",
        "matches?tournament='%3B--",
        "matches?bot=%25",
        "matches?after=hidden-0'%20UNION%20SELECT%201",
        "tournaments?after=%00",
        "matches?bot=%ff",
        "bots?x=1",
        "bots?limit=1&limit=2",
        "ratings?game=%27",
        "uploads?after=%27",
        "matches?round=4294967296&tournament=old",
    ]
    for path in paths:
        answer = ground.ada.api("GET", f"/{path}")
        few = answer.status == 200 and not answer.json.get("items")
        trial.must(400 <= answer.status < 500 or few, f"{path}: {answer.status} {answer.detail[:80]}")
        trial.must(
            "sql" not in answer.text.lower() and "column" not in answer.text.lower(), f"{path}: {answer.detail[:80]}"
        )
    trial.came("4xx, or nothing found")


@site("a stranger", HEADERS)
def public_figures(ground, trial):
    """/metrics and /healthz, which are open to all, name accounts, bots or secrets"""
    trial.sent("GET /metrics, /healthz")
    for path in ("/metrics", "/healthz"):
        answer = ground.stranger.get(path)
        trial.gets(answer, 200)
        trial.lacks(answer.raw, {**ground.secrets, **ground.hidden, "an account": "mallory", "a bot": "adabot"}, path)
