"""Attacks across accounts: what strangers and authors try with the files, names, matches and rights of others."""

import hashlib
import json
import os
import sqlite3

from .ground_site import GAME, IN_FILE, STDERR as QUOTED, bot, crawl
from .promises import ENDED, OVER, OWNED, PLAYS, ROLES, SECRETS, STDERR, UPLOADS
from .trial import attack
from .web import Visitor


def site(who, promise):
    return attack("site", who, promise)


def variants(name):
    """Other ways to write a part of a path."""
    encoded = "".join(f"%{ord(c):02x}" for c in name)
    return [
        name,
        name.upper(),
        encoded,
        f"{name}@1",
        f"{name}%401",
        f"{name}%20",
        f"{name}/",
        f"{name}%00",
        f"./{name}",
    ]


@site("a stranger", UPLOADS)
def report_for_strangers(ground, trial):
    """A stranger reads the report of an upload"""
    trial.sent(f"GET /uploads/{ground.upload}, /api/v1/uploads/{ground.upload}, ?all=true")
    for path in (f"/uploads/{ground.upload}", f"/api/v1/uploads/{ground.upload}", "/api/v1/uploads?all=true"):
        answer = ground.stranger.get(path)
        trial.gets(answer, 303, 401, 404)
        trial.lacks(answer.raw, {"the name of the bot": "adabot", "the report": "steps"}, path)


@site("an author", UPLOADS)
def report_for_authors(ground, trial):
    """An author reads the report of an upload of somebody else"""
    trial.sent(f"GET the page and the report of upload {ground.upload} with another token and another session")
    trial.gets(ground.ada.api("GET", f"/uploads/{ground.upload}"), 200, words="its owner")
    for who in (ground.bob, ground.bob.browser()):
        for path in (f"/uploads/{ground.upload}", f"/api/v1/uploads/{ground.upload}", f"/uploads/0{ground.upload}"):
            answer = who.get(path)
            trial.gets(answer, 404)
            trial.lacks(answer.raw, {"the name of the bot": "adabot"}, path)
    trial.gets(ground.bob.api("GET", "/uploads?all=true"), 403)
    there = [one["upload"] for one in ground.bob.api("GET", "/uploads").json["items"]]
    trial.must(ground.upload not in there, "it is in the list of another account")


@site("an author", OWNED)
def file_of_others(ground, trial):
    """An author downloads the file of a bot of somebody else"""
    trial.sent("GET /account/bots/NAME/file, the name written in nine ways; and as a stranger")
    trial.must(IN_FILE in ground.ada.get("/account/bots/adabot/file").text, "its owner does not get it")
    for who in (ground.bob, ground.bob.browser(), ground.stranger):
        for name in variants("adabot"):
            answer = who.get(f"/account/bots/{name}/file")
            trial.must(answer.status in (303, 400, 404), f"{name}: {answer.status}")
            trial.lacks(answer.raw, {"the file": IN_FILE}, name)
    trial.came("404, 303")


@site("a stranger", STDERR)
def quoting_record(ground, trial):
    """Somebody else downloads a record that quotes a bot's stderr"""
    trial.sent("GET /api/v1/matches/stderrcup-0/record as a stranger and as the other author")
    trial.must(QUOTED in ground.ada.api("GET", "/matches/stderrcup-0/record").text, "its owner does not get it")
    for who in (ground.stranger, ground.bob, ground.bob.browser()):
        answer = who.get("/api/v1/matches/stderrcup-0/record")
        trial.gets(answer, 403)
        trial.lacks(answer.raw, {"the standard error": QUOTED}, "the answer")


@site("a stranger", STDERR)
def quoted_anywhere(ground, trial):
    """A page, a list or a replay quotes what a bot wrote to stderr, or its file"""
    paths = ["/matches/stderrcup-0/replay"] + [
        f"/api/v1{path}"
        for path in (
            "/matches?tournament=stderrcup",
            "/matches/stderrcup-0",
            "/matches/stderrcup-0/replay",
            "/bots/adabot",
            "/tournaments/stderrcup/statistics",
            "/tournaments/stderrcup/standings",
            "/playing",
            "/log",
        )
    ]
    count = 0
    for who in (ground.stranger, ground.bob):
        pages = crawl(who)
        count += len(pages)
        pages.update({path: who.get(path) for path in paths})
        for path, answer in pages.items():
            trial.lacks(answer.raw, {"the standard error": QUOTED, "the file": IN_FILE}, path)
    trial.sent(f"a crawl of {count} pages from /, and {len(paths)} addresses of the API, as two visitors")
    trial.must(count > 40, f"only {count} pages")
    trial.came("nothing of either")


def organisers_requests(ground):
    """All addresses of the API that are for organisers, with bodies that would do something."""
    document = ground.stranger.get("/api/v1/openapi.json").json
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            if "organisers" in about.get("tags", []):
                names = {
                    "{name}": "hidden",
                    "{account}": "ada",
                    "{game}": GAME,
                    "{league}": "x",
                    "{season}": "1",
                    "{id}": str(ground.hook),
                }
                for key, value in names.items():
                    path = path.replace(key, value)
                yield method.upper(), path


BODIES = {
    "/api/v1/invitations": {"uses": 3, "organiser": True},
    "/api/v1/webhooks": {"url": "http://127.0.0.1:1/"},
    "/api/v1/tournaments": {"name": "evil", "game": GAME, "bots": ["sample:random", "sample:greedy"]},
    "/api/v1/tournaments/hidden/withdraw": {"bot": "adaslow"},
    "/api/v1/leagues": {"toml": 'name = "evil"'},
    "/api/v1/tournaments/hidden/disqualify": {"bot": "adaslow", "reason": "x"},
    f"/api/v1/ladders/{GAME}": {"a_day": 5},
    "/api/v1/leagues/x/seasons/1/cancel": {"reason": "evil"},
    "/api/v1/leagues/x/seasons": {"deadline": "2100-01-01T00:00:00Z", "starts_at": "2100-01-01T00:00:00Z", "ends_at": "2100-01-02T00:00:00Z"},
    "/api/v1/tournaments/hidden/extend": {"rounds": 1},
    "/api/v1/tournaments/hidden/join": {"bots": ["bobbot"]},
}


@site("an author", ROLES)
def rights_of_organisers(ground, trial):
    """An author sends every request of the API that is for organisers"""
    tried = 0
    for method, path in organisers_requests(ground):
        answer = ground.bob.ask(method, path, json.dumps(BODIES.get(path, {})) if method != "GET" else None)
        trial.must(answer.status == 403, f"{method} {path}: {answer.status} {answer.detail}")
        tried += 1
    trial.sent(f"{tried} requests of the OpenAPI document with the token of an author")
    trial.must(tried >= 20, f"only {tried} requests")
    trial.must("evil" not in ground.olga.api("GET", "/log").text, "something was done")
    trial.came(403)


@site("a stranger", ROLES)
def rights_of_accounts(ground, trial):
    """A stranger sends every request of the API that needs a token"""
    document, tried = ground.stranger.get("/api/v1/openapi.json").json, 0
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            if about.get("security") or method != "get":
                path = path.replace("{", "").replace("}", "")
                answer = ground.stranger.ask(method.upper(), path, "{}" if method != "get" else None)
                trial.must(answer.status == 401, f"{method} {path}: {answer.status} {answer.detail}")
                tried += 1
    trial.sent(f"{tried} requests without a token")
    trial.must(tried >= 30, f"only {tried} requests")
    trial.came(401)


PAGES = [
    "/organiser",
    "/organiser/begin",
    "/organiser/tournaments",
    "/organiser/leagues",
    "/organiser/ladders",
    "/organiser/webhooks",
    "/organiser/token?account=ada",
    "/organiser/tournaments/hidden",
]
FORMS = {
    "/organiser/invite": {"uses": 1, "organiser": "true"},
    "/organiser/disable": {"account": "ada", "disabled": "true"},
    "/organiser/token": {"account": "ada"},
    "/organiser/webhooks": {"url": "http://127.0.0.1:1/"},
    "/organiser/webhooks/remove": {"webhook": 1},
    "/organiser/queue/pause": {"tournament": "hidden"},
    "/organiser/queue/resume": {"tournament": "hidden"},
    "/organiser/queue/remove": {"tournament": "hidden"},
    "/organiser/queue/file": {"toml": 'name = "evil"\ngame = "flipfour"\nbots = ["sample:random", "sample:greedy"]'},
    "/organiser/leagues": {"toml": 'name = "evil"\ntitle = "evil"\ngames = ["flipfour"]'},
    "/organiser/ladders": {"game": GAME, "a_day": 5},
    "/organiser/ladders/stop": {"game": GAME},
}


@site("an author", ROLES)
def pages_of_organisers(ground, trial):
    """An author opens the organisers' pages and sends their forms from a session of their own"""
    trial.sent(f"{len(PAGES)} pages and {len(FORMS)} forms, with the right origin and word")
    browser = ground.bob.browser()
    for path in PAGES:
        trial.must(browser.get(path).status in (403, 404), f"GET {path}")
    for path, fields in FORMS.items():
        answer = browser.form(path, **fields)
        trial.must(answer.status == 403, f"POST {path}: {answer.status} {answer.detail}")
    trial.gets(ground.ada.api("GET", "/me"), 200, words="the account that was to be disabled")
    trial.must("evil" not in ground.olga.api("GET", "/log").text, "something was done")


@site("an author", OWNED)
def bot_of_others(ground, trial):
    """An author renames or deletes a bot of somebody else"""
    trial.sent("POST /account/bots/adabot/rename and …/delete; GET the pages")
    browser = ground.bob.browser()
    for name in variants("adabot"):
        for answer in (
            browser.form(f"/account/bots/{name}/rename", name="stolen", to="stolen"),
            browser.form(f"/account/bots/{name}/delete", version="", which="all"),
            browser.get(f"/account/bots/{name}"),
            browser.get(f"/account/bots/{name}/delete"),
        ):
            trial.must(answer.status in (400, 404, 422), f"{name}: {answer.status}")
    trial.gets(ground.stranger.api("GET", "/bots/adabot"), 200, words="the bot")
    trial.gets(ground.stranger.api("GET", "/bots/stolen"), 404, words="the stolen name")


@site("an author", OWNED)
def name_of_others(ground, trial):
    """An author uploads a bot under a name that somebody else, an organiser or a built-in bot has"""
    names = ["adabot", "ADABOT", "AdaBot", "first", "First", "greedy", "random-x", "Greedy", "mcts"]
    trial.sent(f"PUT /api/v1/bots/ {', '.join(names)}")
    other = ground.account("nina", ground.link)
    for name in names:
        answer = other.put_bot(name, bot())
        trial.must(answer.status in (403, 409), f"{name}: {answer.status} {answer.detail}")
    trial.came(answer.status)


@site("an author", OWNED)
def former_name(ground, trial):
    """An author takes the name that a bot of somebody else had before"""
    trial.sent("ada renames adabot2 to adabot3 and uploads garbage as adabot2; bob uploads as adabot2")
    ground.accepted(ground.ada, "adabot2", bot(mark="2"))
    answer = ground.ada.browser().form("/account/bots/adabot2/rename", name="adabot3")
    trial.gets(answer, 303, words="the owner renames it")
    number = ground.ada.put_bot("adabot2", "#!/bin/sh\nexit 1\n").json["upload"]
    trial.must(ground.checked(ground.ada, number)["state"] == "refused", "the garbage was taken")
    trial.gets(ground.bob.put_bot("adabot2", bot(mark="3")), 403, 409, words="the other author")


@site("an author", OWNED)
def deleted_by_request_address(ground, trial):
    """An author deletes a tournament, or the matches that somebody else requested"""
    trial.sent("DELETE /api/v1/requests/ old, hidden, stderrcup, and a request of ada")
    asked = ground.ada.api("POST", "/requests", {"game": GAME, "bots": ["adabot", "sample:random"], "rounds": 1})
    name = asked.json["tournament"]
    for one in ("old", "hidden", "stderrcup", name):
        answer = ground.bob.api("DELETE", f"/requests/{one}")
        trial.must(answer.status in (403, 404, 409), f"{one}: {answer.status} {answer.detail}")
        trial.gets(ground.stranger.api("GET", f"/tournaments/{one}"), 200, words=f"{one} afterwards")


@site("an author", OWNED)
def league_entry(ground, trial):
    """An author enters or withdraws a bot of somebody else in a league"""
    toml = f'name = "spring"\ntitle = "Spring"\ngames = ["{GAME}"]\nrounds = 1\n'
    made = ground.olga.api("POST", "/leagues", {"toml": toml})
    trial.must(made.status == 201, f"no league: {made.status} {made.detail}")
    trial.sent("POST and DELETE /api/v1/leagues/spring/entries with adabot")
    trial.gets(ground.bob.api("POST", "/leagues/spring/entries", {"bot": "adabot"}), 403, 404)
    entered = ground.ada.api("POST", "/leagues/spring/entries", {"bot": "adabot"})
    trial.must(entered.status in (200, 201, 204), f"its owner: {entered.status} {entered.detail}")
    trial.gets(ground.bob.api("DELETE", "/leagues/spring/entries/adabot"), 403, 404)
    trial.must("adabot" in ground.stranger.api("GET", "/leagues/spring").text, "it was withdrawn")


@site("an author", PLAYS)
def match_of_others(ground, trial):
    """An author watches, continues, ends or downloads a match that somebody else plays"""
    play = ground.ada.api("POST", "/play", {"game": GAME, "bots": ["sample:greedy"]}).json["play"]
    trial.sent(f"GET and POST /api/v1/play/{play[:6]}… and its pages, with another token and session, and without")
    for who in (ground.bob, ground.bob.browser(), ground.stranger):
        for method, path, body in (
            ("GET", "", None),
            ("GET", "/record", None),
            ("POST", "/leave", {"question": 1}),
            ("POST", "/act", {"question": 1, "action": "a1"}),
        ):
            answer = who.api(method, f"/play/{play}{path}", body)
            trial.must(answer.status in (401, 403, 404), f"{method} {path}: {answer.status}")
        for path in ("", "/pieces", "/record"):
            answer = who.get(f"/play/{play}{path}", seconds=5)
            trial.must(answer.status in (303, 404), f"page {path}: {answer.status}")
    trial.gets(ground.ada.api("GET", f"/play/{play}"), 200, words="its player")
    trial.must(ground.ada.api("GET", f"/play/{play}").json["state"] != "ended", "somebody ended it")
    ground.ada.api("POST", f"/play/{play}/leave", {"question": 1})


@site("an author", ENDED)
def disabled(ground, trial):
    """A disabled account goes on with its token, session and invitations, and its webhook is told"""
    oscar = ground.account("oscar", ground.invite("--organiser"))
    browser, link = oscar.browser(), oscar.api("POST", "/invitations", {"uses": 3})
    path = "/join/" + link.text.split("/join/")[1].split('"')[0]
    trial.sent("token, session, invitation and sign-in of an organiser who was disabled")
    trial.gets(ground.olga.api("POST", "/accounts/oscar/disable"), 200, 204, words="disabling")
    for answer in (
        oscar.api("GET", "/me"),
        browser.get("/account"),
        ground.visitor().form("/sign-in", token=oscar.token),
        ground.visitor().get(path),
        ground.visitor().form(path, name="guest"),
    ):
        trial.must(
            answer.status in (303, 401, 403, 404) and "/account" not in (answer.header("location") or ""),
            f"{answer.status} {answer.detail}",
        )
    trial.gets(ground.stranger.api("GET", "/me"), 401)
    trial.must("guest" not in ground.olga.api("GET", "/accounts").text, "an account was made")


@site("an author", ENDED)
def replaced_token(ground, trial):
    """A token that was replaced, and sessions of it, go on; so does a session that signed out"""
    trial.sent("the old token and session after POST /me/token; the cookie after /sign-out")
    pia = ground.account("pia", ground.link)
    browser, out, old = pia.browser(), pia.browser(), pia.token
    out.form("/sign-out")
    trial.gets(out.get("/account"), 303, words="the session that signed out")
    made = ground.olga.browser().form("/organiser/token", account="pia")
    trial.must(made.status == 200, f"no new token: {made.status} {made.detail}")
    trial.gets(pia.api("GET", "/me"), 401, words="the old token")
    trial.gets(browser.get("/account"), 303, words="the old session")
    trial.gets(ground.visitor().form("/sign-in", token=old), 403, words="the form")


@site("a neighbour", SECRETS)
def hash_as_secret(ground, trial):
    """Somebody who has read site.db signs in with what is stored there"""
    db = sqlite3.connect(f"file:{ground.run.path('arena', 'site.db')}?mode=ro", uri=True)
    dump = "\n".join(db.iterdump())
    db.close()
    secrets = {name: secret for name, secret in ground.secrets.items() if not name.startswith("the key of")}
    trial.sent("hashes of tokens and sessions as tokens and cookies; a search for the secrets themselves")
    for name, secret in secrets.items():
        bare = secret.removeprefix("flipside_")
        trial.must(secret not in dump and bare.lower() not in dump.lower(), f"site.db holds {name}")
    for secret in list(secrets.values())[:6]:
        stored = hashlib.sha256(secret.encode()).hexdigest()
        for token in (stored, "flipside_" + stored):
            trial.must(ground.visitor(token=token).api("GET", "/me").status == 401, "a hash is a token")
        trial.must(ground.visitor(cookie=stored).get("/account").status == 303, "a hash is a session")
    trial.came("401, 303")


@site("a neighbour", SECRETS)
def mixed_secrets(ground, trial):
    """A session's cookie is sent as a token, a token as a cookie, an invitation as both"""
    browser = ground.ada.browser()
    trial.sent("each secret in the place of each other one; prefixes, other case, SQL in it")
    invitation = ground.link.rsplit("/", 1)[1]
    for token in (
        browser.cookie,
        "flipside_" + browser.cookie,
        invitation,
        browser.word,
        ground.ada.token[:-1],
        ground.ada.token.upper(),
        "' OR 1=1 --",
        "%",
        "*",
    ):
        trial.must(ground.visitor(token=token).api("GET", "/me").status == 401, f"{token[:12]}… is a token")
    for cookie in (ground.ada.token, ground.ada.token[9:], invitation, browser.word):
        trial.must(ground.visitor(cookie=cookie).get("/account").status == 303, f"{cookie[:12]}… is a session")
    trial.must(ground.stranger.get(f"/join/{browser.cookie}").status in (403, 404), "a session is an invitation")
    trial.came("401, 303")


@site("a stranger", SECRETS)
def fixed_session(ground, trial):
    """Somebody gives a browser a session of their choice before it signs in"""
    trial.sent("Cookie: flipside=1111… with the form of /sign-in; then the same cookie alone")
    chosen = "1" * 64
    victim = Visitor(ground.port, ground.visitor().address, cookie=chosen)
    answer = victim.form("/sign-in", token=ground.ada.token)
    trial.gets(answer, 303)
    trial.must(chosen not in (answer.header("set-cookie") or ""), "the chosen session was begun")
    cookie = answer.header("set-cookie") or ""
    trial.must("HttpOnly" in cookie and "SameSite=Lax" in cookie, f"the cookie is {cookie.split(';', 1)[-1]}")
    trial.gets(ground.visitor(cookie=chosen).get("/account"), 303, words="the chosen cookie")


@site("an author", ROLES)
def similar_names(ground, trial):
    """An account gets a name that people take for another one"""
    trial.sent("Ada, ADA, аda with a Cyrillic letter, 'ada ', ada\\u200b, ../ada, <b>ada</b>, a name of 65 letters")
    for name in ("Ada", "ADA", "\u0430da", "ada ", "ada\u200b", "../ada", "<b>ada</b>", "a" * 65, "", "ada\n"):
        answer = ground.visitor().form(ground.link, name=name)
        trial.must(answer.status in (400, 403, 409, 422), f"{name!r}: {answer.status}")
    trial.came(answer.status)


@site("an author", OVER)
def early_record(ground, trial):
    """Anybody downloads the record of a match whose tournament is still played"""
    trial.sent("GET /api/v1/matches/hidden-0/record as a stranger, as an author of a bot in it, as an organiser")
    for who in (ground.stranger, ground.ada, ground.bob, ground.olga):
        answer = who.api("GET", "/matches/hidden-0/record")
        trial.gets(answer, 403)
        trial.lacks(answer.raw, ground.hidden, "the answer")


@site("a neighbour", ROLES)
def other_user(ground, trial):
    """Another user of the machine reads the arena of the site"""
    trial.sent(
        "as the user 65534: journal.sqlite, site.db, bots/, uploads/, signing.key"
        if os.geteuid() == 0
        else "the modes of journal.sqlite, site.db, bots/, uploads/, signing.key"
    )
    arena = ground.run.path("arena")
    for name in (
        "journal.sqlite",
        "site.db",
        "site.db-wal",
        "journal.sqlite-wal",
        "signing.key",
        "bots",
        "uploads",
        "cache",
    ):
        path = os.path.join(arena, name)
        if os.path.exists(path):
            trial.must(os.stat(path).st_mode & 0o077 == 0, f"{name} has mode {os.stat(path).st_mode & 0o777:o}")
    if os.geteuid() == 0:
        child = os.fork()
        if not child:
            opened = 0
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                for name in ("journal.sqlite", "site.db", "signing.key"):
                    try:
                        open(os.path.join(arena, name), "rb").close()
                        opened += 1
                    except OSError:
                        pass
            finally:
                os._exit(opened)
        trial.must(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "another user can open a file")
    trial.came("refused")
