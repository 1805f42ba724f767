"""Attacks by text that reaches a page, a header, a log or a terminal, and by a site on its own visitors."""

import re
import urllib.parse

from .ground_site import GAME, bot, crawl
from .promises import CLIENT, ESCAPED, HEADERS, TERMINAL
from .trial import attack, steers
from .web import Listener, Visitor

MARK = "<script>canary()</script>"
# What only a page that does not escape has.
RAW = re.compile(rb"""<script>canary|<img[^>]*canary|<svg[^>]*canary|href=.javascript:""")


def site(who, promise):
    return attack("site", who, promise)


@site("an author", ESCAPED)
def served_as_page(ground, trial):
    """A bot's file is a page with a script, and is opened from the site"""
    trial.sent(f"a script bot with {MARK}; GET /account/bots/page/file")
    ground.accepted(ground.ada, "page", bot(mark=f"<html>{MARK}"))
    answer = ground.ada.browser().get("/account/bots/page/file")
    trial.gets(answer, 200)
    trial.must(answer.header("content-type") == "application/octet-stream", f"type {answer.header('content-type')}")
    trial.must((answer.header("content-disposition") or "").startswith("attachment"), "it is not an attachment")


HOSTILE = r"<script>canary()</script><img src=x onerror=canary()>\u001b[2J\u202e\u2028"


@site("an author", ESCAPED)
def stored_script(ground, trial):
    """Names, versions and notes of a bot, titles and reasons are scripts on the pages that show them"""
    trial.sent(f"{MARK} as a bot's name, version, note and illegal action; title of a tournament and a league")
    hello = """    case $line in *'"match":"marked-'*) evil=1 ;; esac
"""
    note = HOSTILE.replace("\\", "\\\\")
    act = f'\\"note\\":\\"{note}\\",\\"action\\":\\"'
    text = bot(hello).replace('"name":"random.sh","version":"1"', f'"name":"{HOSTILE}","version":"{HOSTILE}"')
    text = text.replace('\\"action\\":\\"', act)
    illegal = f"""    case "$evil$id" in 1[3-9]) echo '{{"type":"act","id":'$id',"action":"{MARK}"}}'; continue ;; esac
"""
    upload = ground.accepted(
        ground.mallory, "hostile", text.replace("    # Count the texts", illegal + "    # Count the texts")
    )
    trial.must(upload["state"] == "accepted", f"the bot is {upload['state']}: {upload.get('said')}")
    toml = f'name = "marked"\ntitle = "{MARK}"\ngames = ["{GAME}"]\nrounds = 1\n'
    ground.olga.api("POST", "/leagues", {"toml": toml})
    ground.play_now("marked", GAME, ["hostile", "bobbot"], 3, title=MARK)
    record = ground.stranger.api("GET", "/matches/marked-0/record").text
    trial.must("canary()" in record, "no match has the words")
    count = 0
    start = (
        "/",
        "/matches/marked-0",
        "/matches/marked-0/replay",
        "/leagues/marked",
        "/bots/hostile",
        "/uploads/4",
        "/organiser",
        "/organiser/webhooks",
        "/tournaments/marked",
    )
    for who in (ground.olga.browser(), ground.mallory.browser()):
        for path, answer in crawl(who, start, 150).items():
            kind = answer.header("content-type") or ""
            count += 1
            if kind.startswith("text/html"):
                trial.must(not RAW.search(answer.body), f"{path} has the script")
                trial.must(not steers(answer.text.replace("\t", "")), f"{path} has a character that steers")
    trial.must(count > 40, f"only {count} pages")
    data = ground.stranger.get("/matches/marked-0/replay").text
    trial.must("<script" not in data and not steers(data), "the data of the replay have it")
    trial.came(f"escaped on {count} pages")


@site("a stranger", ESCAPED)
def reflected_script(ground, trial):
    """An address, a query or a form is shown again as a script"""
    quoted = urllib.parse.quote(MARK, safe="")
    trial.sent(f"{MARK} in paths, queries, forms, headers, JSON")
    paths = [
        f"/{quoted}",
        f"/bots/{quoted}",
        f"/tournaments/{quoted}",
        f"/matches/{quoted}",
        f"/games/{quoted}",
        f"/guides/{quoted}",
        f"/matches?bot={quoted}",
        f"/tournaments?after={quoted}",
        f"/join/{quoted}",
        f"/ratings/{quoted}",
        f"/leagues/{quoted}",
        f"/api/v1/bots/{quoted}",
        f"/api/v1/matches?bot={quoted}",
        f"/bots?sort={quoted}&page={quoted}",
        f"/assets/{quoted}",
        f"/organiser/token?account={quoted}",
    ]
    for who in (ground.stranger, ground.olga.browser(), ground.ada):
        for path in paths:
            for more in ({}, {"Accept": "text/html"}):
                answer = who.get(path, Referer=MARK, User_Agent=MARK, **more)
                kind = answer.header("content-type") or ""
                trial.must("html" not in kind or not RAW.search(answer.body), f"{path} has the script")
    browser = ground.olga.browser()
    for path, fields in (
        ("/organiser/queue/file", {"toml": MARK}),
        ("/play", {"game": MARK, "bots": MARK}),
        ("/organiser/leagues", {"toml": MARK}),
        ("/organiser/webhooks", {"url": MARK}),
        ("/request", {"game": MARK, "bots": MARK, "rounds": MARK}),
        ("/organiser/disable", {"account": MARK, "disabled": "true"}),
    ):
        answer = browser.form(path, **fields)
        trial.must(400 <= answer.status < 500 and not RAW.search(answer.body), f"{path}: {answer.status}")
    trial.came("escaped")


@site("a stranger", HEADERS)
def split_header(ground, trial):
    """A line break in an address becomes a header of the answer"""
    trial.sent("%0d%0aSet-Cookie: canary=1 in names, ids, queries and file names")
    for path in (
        "/bots/%s",
        "/account/bots/%s/file",
        "/matches/%s/replay",
        "/tournaments/%s",
        "/api/v1/matches/%s/record",
        "/api/v1/bots?limit=1&after=%s",
        "/games/%s",
        "/sign-in?x=%s",
        "/%s",
    ):
        for text in (
            "x%0d%0aSet-Cookie:%20canary=1",
            "x%0aSet-Cookie:canary=1",
            "x%E5%98%8A%E5%98%8DSet-Cookie:canary",
        ):
            for who in (ground.stranger, ground.ada):
                answer = who.get(path % text)
                trial.must(
                    not any("canary" in value for key, value in answer.headers if key.lower() == "set-cookie"),
                    f"{path}: a header",
                )
                trial.must(answer.status != 0, f"{path}: no answer")
    trial.came("no such header")


@site("a stranger", TERMINAL)
def words_in_log(ground, trial):
    """An address or a header forges a line of the log, or steers the terminal that shows it"""
    trial.sent("ESC [2J, U+202E and newlines in paths, queries, methods, agents, names of accounts and tokens")
    forged = "2026-01-01T00:00:00Z  INFO forged: canary-log"
    escaped = urllib.parse.quote(f"\x1b[2J\u202e\n{forged}", safe="")
    for path in (f"/{escaped}", f"/bots/{escaped}", f"/x?{escaped}", f"/join/{escaped}"):
        ground.stranger.get(path, User_Agent=f"\u202e{forged}")
    ground.visitor().form("/sign-in", token=f"\x1b[2J\n{forged}")
    ground.visitor().form(ground.link, name=f"\x1b[2J\n{forged}")
    ground.ada.put_bot("page", b"#!/bin/sh\n\x1b[2J\n" + forged.encode())
    Visitor(ground.port, f"\u202e{forged}").get("/")
    said = ground.served.said()
    trial.must(f"\n{forged}" not in said and not said.startswith(forged), "a line was forged")
    steering = [line for line in said.split("\n") if steers(line)]
    trial.must(not steering, f"the log steers: {steering[:1]!r}")
    trial.came("escaped")


@site("a hostile site", TERMINAL)
def hostile_server(ground, trial):
    """A site steers the terminal of an author who submits a bot to it"""
    words = "bad\\u001b[2J\\u202e\\u2028\\u009b31m\\nplace 1: forged"
    bodies = [
        f'{{"title":"{words}","status":400,"detail":"{words}","hints":["{words}"]}}',
        f'"{words}"',
        f'{{"{words}":1}}',
        f'{{"upload":1,"name":"{words}","state":"{words}","said":"{words}","page":"{words}","before":0,"bot":null,'
        f'"report":{{"steps":[{{"step":"{words}","outcome":"failed","says":["{words}"]}}],"warnings":["{words}"]}}}}',
    ]
    trial.sent("escape sequences in the answers of a site to `flipside submit --server`")
    for status in (b"202 Accepted", b"400 Bad\x1b[2J"):
        for body in bodies:
            data = body.encode()
            head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(data))
            listener = Listener(head + data)
            done = ground.run(
                "submit",
                "./first.wat",
                "--server",
                f"http://127.0.0.1:{listener.port}",
                env={"FLIPSIDE_TOKEN": ground.mallory.token},
                seconds=60,
            )
            listener.end()
            text = (done.stdout + done.stderr).decode(errors="replace")
            trial.must(not steers(text.replace("\n", "")), f"the terminal is steered: {text[:120]!r}")
            trial.must("\nplace 1: forged" not in text, f"a line is forged: {text[:120]!r}")
    trial.came("escaped")


@site("a hostile site", CLIENT)
def token_led_away(ground, trial):
    """A site leads `flipside submit` with its token to another server"""
    other = Listener()
    trial.sent("301, 302, 307, 308 to another port; the listener there notes what comes")
    for status in (301, 302, 307, 308):
        leading = Listener(
            f"HTTP/1.1 {status} X\r\nLocation: http://127.0.0.1:{other.port}/\r\nContent-Length: 0\r\n\r\n".encode()
        )
        done = ground.run(
            "submit",
            "./first.wat",
            "--server",
            f"http://127.0.0.1:{leading.port}",
            env={"FLIPSIDE_TOKEN": ground.mallory.token},
            seconds=60,
        )
        trial.must(done.returncode == 1, f"{status}: exit {done.returncode}")
        trial.lacks(done.stdout + done.stderr, {"the token": ground.mallory.token}, "the message")
        leading.end()
    trial.must(not other.requests, "the other server was asked")
    other.end()
    trial.came(f"{len(other.requests)} requests")
