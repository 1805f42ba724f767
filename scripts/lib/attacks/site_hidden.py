"""Attacks on what is hidden until a tournament is over: salts, seeds, hands and decks, on pages and in messages."""

import json
import re
import time

from .ground_site import STDERR, crawl
from .promises import ESCAPED, OVER, PLAYS
from .trial import attack, waits
from .web import Answer, connect, read_all


def site(who, promise):
    return attack("site", who, promise)


def landed(ground):
    """The secrets of the matches that have been played: seeds, and the orders of the decks."""
    rows = ground.rows(
        "SELECT matches.id FROM matches JOIN tournaments ON tournaments.id = tournament "
        "WHERE tournaments.name = 'hidden' LIMIT 8"
    )
    secrets = dict(ground.hidden)
    for (name,) in rows:
        lines = [json.loads(line) for line in ground.run.ok("matches", name).splitlines()]
        over = next(line for line in lines if line["type"] == "over")
        secrets[f"the seed of {name}"] = over["seed"]
        for number, line in enumerate(lines):
            if line["type"] == "chance" and "deal" in line["event"]:
                deal = line["event"]["deal"]
                secrets[f"a deck of {name}, line {number}"] = ",".join(map(str, deal[30:50]))
    return [name for (name,) in rows], secrets


@site("a stranger", OVER)
def secrets_of_running(ground, trial):
    """A page, a list or a replay tells the salt, a seed or a deck of a tournament that is played"""
    names, secrets = landed(ground)
    start = [
        "/tournaments/hidden",
        "/tournaments/hidden/live",
        "/tournaments/hidden/statistics",
        "/tournaments/hidden/rounds",
    ]
    start += [f"/matches/{name}" for name in names] + [f"/matches/{name}/replay" for name in names]
    count = 0
    for who in (ground.stranger, ground.ada.browser(), ground.olga.browser()):
        pages = crawl(who, start, 120)
        for path in ("", "/standings", "/cross", "/statistics"):
            pages[f"API {path}"] = who.api("GET", f"/tournaments/hidden{path}")
        for path in (
            "/playing",
            "/matches?tournament=hidden",
            "/queue",
            "/log",
            *[f"/matches/{name}" for name in names],
        ):
            pages[f"API {path}"] = who.api("GET", path)
        count += len(pages)
        for path, answer in pages.items():
            trial.lacks(answer.raw, secrets, path)
    trial.sent(f"{count} pages and lists as a stranger, as an author in it, as an organiser; {len(secrets)} secrets")
    trial.must(len(secrets) > 3 and count > 60, f"only {count} pages, {len(secrets)} secrets")
    trial.came("none of them")


@site("an author", OVER)
def replay_of_running(ground, trial):
    """The replay of a match with hidden cards shows a hand before its tournament is over"""
    names, _ = landed(ground)
    trial.sent(f"GET /matches/ID/replay of {len(names)} matches; ?view=open, ?seat=0, ?viewer=everything")
    for name in names[:3]:
        for query in ("", "?view=open", "?seat=0", "?viewer=everything", "?open=true"):
            for who in (ground.ada, ground.olga):
                answer = who.get(f"/matches/{name}/replay{query}")
                if answer.status == 200:
                    views = [view["name"] for view in answer.json["views"]]
                    trial.must(len(views) == 1 and "everything" not in views, f"{name}{query}: views {views}")
                    words = " ".join(step["text"] for step in answer.json["steps"])
                    drawn = re.findall(r"draws from the draw pile[^,;]{0,20}", words)
                    trial.must(
                        all(re.fullmatch(r"draws from the draw pile( \S+ \S+.*)?", one) for one in drawn),
                        "a card is named",
                    )
                    trial.must("draws [rgybw]" not in words, "a card is named")
    full = ground.stranger.get("/matches/old-0/replay")
    trial.must(full.status == 200, "the replay of an old match")
    trial.came("one view: the public one")


@site("a stranger", OVER)
def running_match(ground, trial):
    """A match that is not over is read by its id, which can be guessed"""
    live = ground.stranger.api("GET", "/playing").text
    running = sorted(set(re.findall(r"hidden-\d+", live))) or ["hidden-400"]
    trial.sent(f"{', '.join(running)}: the page, the replay, the record, the API")
    for name in (*running, "hidden-499"):
        if ground.rows(f"SELECT 1 FROM matches WHERE id = '{name}'"):
            continue
        for who in (ground.stranger, ground.olga):
            for path in (
                f"/matches/{name}",
                f"/matches/{name}/replay",
                f"/api/v1/matches/{name}",
                f"/api/v1/matches/{name}/record",
                f"/api/v1/matches/{name}/replay",
            ):
                answer = who.get(path)
                is_over = ground.rows(f"SELECT 1 FROM matches WHERE id = '{name}'")
                trial.must(answer.status == 404 or is_over, f"{path}: {answer.status}")
    trial.came(404)


@site("a stranger", OVER)
def live_boards(ground, trial):
    """The live boards show what a player at the table could not see"""
    events = boards(ground, 12)
    trial.sent("GET /tournaments/hidden/boards for 12 s; each picture is compared with the public one of the replay")
    trial.must(len(events) >= 3, f"only {len(events)} pictures")
    compared = 0
    for name in {name for name, _, _ in events}:
        if not waits(lambda name=name: ground.rows(f"SELECT 1 FROM matches WHERE id = '{name}'"), 90):
            continue
        public = public_pictures(ground.stranger.get(f"/matches/{name}/replay"))
        for of, _, svg in events:
            if of == name:
                compared += 1
                trial.must(cards(svg) in public, f"a picture of {name} is none of the public ones")
    trial.must(compared >= 3, f"only {compared} pictures compared")
    trial.came(f"{compared} pictures, all public")


def boards(ground, seconds):
    """Pictures of running matches, as everybody is sent them: match, plies, SVG."""
    with connect(ground.port) as connection:
        connection.sendall(ground.stranger.head("GET", "/tournaments/hidden/boards", {}))
        stream = Answer(read_all(connection, seconds)).text
    found = []
    for event in re.split(r"\n\n", stream):
        text = "\n".join(line[6:] for line in event.splitlines() if line.startswith("data: "))
        names, svgs = re.findall(r"hidden-\d+", text), re.findall(r"<svg.*?</svg>", text, re.S)
        if svgs and names:
            ids = list(dict.fromkeys(names))
            found += [(name, event, svg) for name, svg in zip(ids, svgs)]
    return found


def cards(svg):
    """The cards and words of a picture, without what differs in how it is embedded."""
    return tuple(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def public_pictures(answer):
    """All pictures of the public view of a replay, put together again from their changes."""
    data = answer.json
    view = (
        next(view for view in data["views"] if view["name"] != "everything" and not re.search(r"seat|\d", view["name"]))
        if len(data["views"]) > 1
        else data["views"][0]
    )
    shown, pictures = [], set()
    for change in view["changes"]:
        after, at, number = [], 0, 0
        while at < len(change):
            kept, dropped, added = change[at : at + 3]
            after += shown[number : number + kept] + change[at + 3 : at + 3 + added]
            number += kept + dropped
            at += 3 + added
        shown = after + shown[number:]
        pictures.add(cards("".join(data["pieces"][piece] for piece in shown)))
    return pictures


@site("an author", PLAYS)
def own_match_with_cards(ground, trial):
    """Somebody who plays with hidden cards sees the hand of the bot, or the record before the end"""
    play = ground.ada.api("POST", "/play", {"game": "phase10-flip", "bots": ["sample:greedy"]}).json["play"]
    shown = waits(
        lambda: (lambda it: it if it["state"] == "yours" else None)(ground.ada.api("GET", f"/play/{play}").json), 60
    )
    trial.sent("GET /api/v1/play/ID, /record and its page during a match of phase10-flip")
    trial.must(shown is not None, "the match does not begin")
    record = ground.ada.api("GET", f"/play/{play}/record")
    trial.gets(record, 404, words="the record")
    page = ground.ada.browser().get(f"/play/{play}").text
    for text in (json.dumps(shown), page):
        trial.must(
            not re.search(r"\b[0-9a-f]{64}\b", text.replace(play, "").replace(word_of(page), "")), "it has a seed"
        )
        trial.must("salt" not in text and '"deal"' not in text, "it has the deck")
    ground.ada.api("POST", f"/play/{play}/leave", {"question": shown["question"]})


def word_of(page):
    found = re.search(r'name="word" value="([0-9a-f]{64})"', page)
    return found[1] if found else "none"


@site("a stranger", ESCAPED)
def loads_from_elsewhere(ground, trial):
    """A page loads something from another site, or has a script of its own"""
    pages = crawl(ground.olga.browser(), ("/", "/organiser"), 250)
    for path, answer in pages.items():
        if (answer.header("content-type") or "").startswith("text/html"):
            loads = re.findall(r'<(?:script|img|link|iframe|object|embed)[^>]*(?:src|href)="(?!/)([^"]*)"', answer.text)
            loads = [one for one in loads if not one.startswith("data:image/")]
            trial.must(not loads, f"{path} loads {loads[:2]}")
            scripts = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", answer.text)
            scripts = [one for one in scripts if "application/json" not in one]
            trial.must(not scripts, f"{path} has {scripts[:1]}")
            trial.must(not re.search(r'<[a-z]+[^>]*\son[a-z]+="', answer.text), f"{path} has a handler")
    trial.sent(f"a crawl of {len(pages)} pages")
    trial.must(len(pages) > 50, f"only {len(pages)} pages")
    trial.came("only from the site")


@site("a receiver of a webhook", OVER)
def message_of_running(ground, trial):
    """The messages of a webhook tell the salt, a seed or a stderr"""
    ground.must(lambda: any(b'"hidden"' in one for one in ground.listener.requests))
    _, secrets = landed(ground)
    time.sleep(1)
    secrets["the standard error of a bot"] = STDERR
    secrets.update(ground.secrets)
    bodies = b"\n".join(ground.listener.requests)
    trial.sent(f"a search in {len(ground.listener.requests)} messages for {len(secrets)} secrets")
    trial.must(b"stderrcup-0" in bodies, "no message of the match that quotes")
    trial.lacks(bodies, secrets, "a message")
    trial.came("none of them")
