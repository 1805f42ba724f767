"""Attacks through the browser of somebody who is signed in, on what caches keep, and on the limits of rates."""

import urllib.parse

from .ground_site import GAME, Served, crawl
from .promises import CACHES, CHANGES, HEADERS, RATES, SECRETS, WORD
from .trial import attack
from .web import Visitor

EVIL = "https://evil.example"


def site(who, promise):
    return attack("site", who, promise)


def forms(ground):
    """The forms of the site, with fields that would do something."""
    return {
        "/account/token": {},
        "/sign-out": {},
        "/organiser/invite": {"uses": 1, "organiser": "true"},
        "/organiser/disable": {"account": "mallory", "disabled": "true"},
        "/organiser/token": {"account": "mallory"},
        "/organiser/webhooks": {"url": "http://127.0.0.1:1/"},
        "/organiser/queue/pause": {"tournament": "hidden"},
        "/organiser/webhooks/remove": {"webhook": ground.hook},
        "/organiser/ladders": {"game": GAME, "a_day": 5},
        "/play": {"game": GAME, "bots": "sample:random"},
        "/request": {"game": GAME, "bots": "sample:random, sample:greedy", "rounds": 1},
        "/organiser/queue/file": {"toml": f'name="forged"\ngame="{GAME}"\nbots=["sample:random","sample:greedy"]'},
    }


def all_are_refused(ground, trial, browser, what, values):
    """Sends every form with each of these values in the place of the right one."""
    for path, fields in forms(ground).items():
        for value in values:
            answer = browser.form(path, **{what: value}, **fields)
            trial.must(answer.status == 403, f"{path} with {what} {value[:24]!r}: {answer.status}")
    trial.came(403)
    nothing_was_done(ground, trial, browser)


def nothing_was_done(ground, trial, browser):
    trial.must(browser.get("/account").status == 200, "the session has ended")
    trial.must(ground.mallory.api("GET", "/me").status == 200, "an account was disabled")
    hooks = [one["webhook"] for one in ground.olga.api("GET", "/webhooks").json["items"]]
    trial.must(hooks == [ground.hook], "the webhooks are others")
    trial.must(ground.stranger.api("GET", "/tournaments/forged").status == 404, "a tournament was begun")


@site("an organiser's browser", CHANGES)
def cross_site_forms(ground, trial):
    """A page of another site sends every form in the organiser's browser"""
    browser = ground.olga.browser()
    origins = [
        EVIL,
        "null",
        f"http://127.0.0.1:{ground.port + 1}",
        f"http://127.0.0.1:{ground.port}.evil.example",
        f"http://evil.example:{ground.port}",
        "http://127.0.0.1",
        "",
    ]
    trial.sent(f"{len(forms(ground))} forms with cookie and word, from the origins {', '.join(origins)} and none")
    all_are_refused(ground, trial, browser, "origin", origins)


@site("an organiser's browser", WORD)
def foreign_word(ground, trial):
    """A form has no word, that of another session, or that of another account"""
    browser = ground.olga.browser()
    words = [
        "",
        "0" * 64,
        ground.olga.browser().word,
        ground.ada.browser().word,
        browser.word[:-1],
        browser.word.upper(),
    ]
    trial.sent(f"{len(forms(ground))} forms from the right origin with {len(words)} wrong words")
    all_are_refused(ground, trial, browser, "word", words)


@site("an organiser's browser", CHANGES)
def api_with_cookie(ground, trial):
    """A page sends requests of the API, to which the browser adds its cookie"""
    browser = ground.olga.browser()
    trial.sent(
        "POST and DELETE below /api/v1 with a cookie; as text/plain, as a form, from the right origin and others"
    )
    for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
        for origin in (browser.origin, EVIL):
            for method, path, value in (
                ("POST", "/accounts/mallory/disable", {}),
                ("POST", "/me/token", {}),
                ("DELETE", f"/webhooks/{ground.hook}", None),
                ("POST", "/invitations", {"uses": 1, "organiser": True}),
            ):
                answer = browser.api(method, path, value, Content_Type=kind, Origin=origin)
                trial.must(answer.status == 403, f"{method} {path} as {kind}: {answer.status}")
    trial.came(403)
    nothing_was_done(ground, trial, browser)


@site("an organiser's browser", CHANGES)
def sign_in_of_others(ground, trial):
    """A page of another site signs a browser in to the attacker's account, or signs it up"""
    trial.sent(f"POST /sign-in, /sign-up and /join/… from {EVIL} and without an origin")
    for origin in (EVIL, "null", ""):
        for path, fields in (
            ("/sign-in", {"token": ground.mallory.token}),
            ("/sign-up", {"name": "x1"}),
            (ground.link, {"name": "x1"}),
        ):
            answer = ground.visitor().form(path, origin=origin, **fields)
            trial.gets(answer, 403)
            trial.must(not answer.header("set-cookie"), "a session begins")


@site("an organiser's browser", CHANGES)
def changes_by_get(ground, trial):
    """A link or a picture does what a form does: GET, HEAD and other methods on its address"""
    browser = ground.olga.browser()
    trial.sent("GET, HEAD, PUT, PATCH, DELETE with all fields in the query; X-HTTP-Method-Override: POST; _method=POST")
    for path, fields in forms(ground).items():
        query = urllib.parse.urlencode({**fields, "word": browser.word, "_method": "POST"})
        for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
            answer = browser.ask(method, f"{path}?{query}", X_HTTP_Method_Override="POST", Origin=browser.origin)
            is_page = method in ("GET", "HEAD") and answer.status in (200, 400)
            trial.must(answer.status in (403, 404, 405) or is_page, f"{method} {path}: {answer.status}")
    trial.came("405, or the page")
    nothing_was_done(ground, trial, browser)


@site("an organiser's browser", HEADERS)
def framed(ground, trial):
    """A page of the site is put into a frame, sniffed as another type, or leaks its address"""
    browser = ground.olga.browser()
    paths = [
        "/",
        "/account",
        "/organiser",
        "/nothing",
        "/matches/old-0",
        "/api/v1",
        "/api/v1/none",
        "/assets/none",
        "/account/bots/x/file",
        "/healthz",
        "/metrics",
        "/sign-in",
        "/matches/old-0/replay",
        "/tournaments/hidden/live",
    ]
    trial.sent(f"GET {', '.join(paths)}")
    for path in paths:
        answer = browser.get(path)
        policy = answer.header("content-security-policy") or ""
        for part in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"):
            trial.must(part in policy, f"{path}: the policy lacks {part}")
        trial.must("unsafe" not in policy and "*" not in policy, f"{path}: {policy}")
        trial.must(answer.header("x-content-type-options") == "nosniff", f"{path}: no nosniff")
        trial.must(answer.header("referrer-policy") in ("same-origin", "no-referrer"), f"{path}: no referrer policy")
    trial.came("each with the policy")


@site("an organiser's browser", HEADERS)
def read_by_others(ground, trial):
    """A script of another site reads an answer"""
    browser = ground.olga.browser()
    trial.sent(f"Origin: {EVIL} to pages, the API and streams; OPTIONS as a browser asks before it")
    for path in ("/account", "/api/v1/me", "/api/v1/accounts", "/live", "/tournaments/hidden/boards", "/organiser"):
        for method in ("GET", "OPTIONS"):
            answer = browser.ask(method, path, Origin=EVIL, Access_Control_Request_Method="POST", seconds=2)
            allowed = [key for key, _ in answer.headers if key.lower().startswith("access-control")]
            trial.must(not allowed, f"{method} {path}: {allowed}")
    trial.came("no Access-Control header")


@site("an organiser's browser", HEADERS)
def led_away(ground, trial):
    """An address of the site leads to another site"""
    trial.sent("//evil.example, /\\evil.example, /sign-in?next=https://evil.example and more")
    for path in (
        f"//{EVIL[8:]}",
        f"//{EVIL[8:]}/",
        f"/\\{EVIL[8:]}",
        f"/sign-in?next={EVIL}",
        f"/account?return={EVIL}",
        f"/%2f{EVIL[8:]}",
        f"/bots/%2f%2f{EVIL[8:]}",
        f"/tournaments//{EVIL[8:]}/",
        f"{EVIL}/",
        "/games/..//evil.example",
    ):
        for who in (ground.stranger, ground.olga.browser()):
            answer = who.get(path)
            place = urllib.parse.urlsplit(answer.header("location") or "")
            is_away = place.netloc or (answer.header("location") or "").startswith("//")
            trial.must(not is_away, f"{path} → {place}")
    answer = ground.visitor().form("/sign-in", token=ground.ada.token, next=EVIL)
    trial.must(answer.header("location") == "/account", f"the form leads to {answer.header('location')}")
    trial.came("nowhere else")


@site("an organiser's browser", HEADERS)
def forged_host(ground, trial):
    """A forged Host makes a page, an invitation or a redirect that leads to another site"""
    browser = ground.olga.browser()
    trial.sent("Host, X-Forwarded-Host, Forwarded: evil.example")
    for more in ({"Host": "evil.example"}, {"X_Forwarded_Host": "evil.example"}, {"Forwarded": "host=evil.example"}):
        for path in (
            "/",
            "/organiser",
            "/api/v1",
            "/api/v1/bots?limit=1",
            "/api/v1/openapi.json",
            "/organiser/webhooks",
        ):
            answer = browser.get(path, **more)
            trial.lacks(answer.raw, {"the forged host": "evil.example"}, path)
    body = urllib.parse.urlencode({"uses": 1, "word": browser.word})
    answer = browser.ask(
        "POST",
        "/organiser/invite",
        body,
        Host="evil.example",
        Origin="http://evil.example",
        Content_Type="application/x-www-form-urlencoded",
    )
    trial.lacks(answer.raw, {"the forged host": "evil.example"}, "the invitation")
    trial.came("not in an answer")


@site("a stranger", CACHES)
def shared_cache(ground, trial):
    """What a proxy or the site keeps of one visitor is shown to another one"""
    trial.sent("pages as an organiser, then as a stranger and as an author, with their ETags exchanged")
    browser = ground.olga.browser()
    for path in ("/", "/bots", "/tournaments/hidden", "/matches/stderrcup-0", "/games", "/ratings", "/matches"):
        own, others = browser.get(path), ground.stranger.get(path)
        trial.must("olga" in own.text, f"{path}: the page does not name who signed in")
        trial.lacks(others.raw, {"the name of the organiser": "olga"}, path)
        trial.must(
            "private" in (own.header("cache-control") or "") or "no-store" in own.header("cache-control"),
            f"{path}: {own.header('cache-control')}",
        )
        vary = [value.lower() for key, value in others.headers if key.lower() == "vary"]
        trial.must(any("cookie" in value for value in vary), f"{path}: Vary is {vary}")
        crossed = ground.stranger.get(path, If_None_Match=own.header("etag"))
        trial.must(crossed.status == 200, f"{path}: the tag of another visitor is answered with {crossed.status}")
    trial.came("200, private, Vary: cookie")


@site("a stranger", CACHES)
def kept_secrets(ground, trial):
    """A cache keeps a page with a secret, or its compression tells of the secret"""
    browser = ground.ada.browser()
    paths = [
        "/account",
        "/submit",
        "/play",
        "/request",
        f"/uploads/{ground.upload}",
        "/account/bots/adabot/file",
        "/sign-in",
        ground.link,
        "/api/v1/me",
        "/api/v1/uploads",
        f"/api/v1/uploads/{ground.upload}",
    ]
    organisers = [
        "/organiser",
        "/organiser/webhooks",
        "/organiser/begin",
        "/organiser/tournaments",
        "/organiser/tournaments/hidden",
        "/organiser/ladders",
        "/organiser/leagues",
        "/api/v1/webhooks",
        "/api/v1/accounts",
        "/api/v1/log",
    ]
    trial.sent(f"{len(paths) + len(organisers)} private pages with Accept-Encoding: gzip, br, zstd")
    for who, all_paths in ((browser, paths), (ground.olga.browser(), organisers)):
        for path in all_paths:
            answer = who.get(path, Accept_Encoding="gzip, br, zstd, deflate", If_None_Match="*")
            if path in ("/organiser/tournaments/hidden", "/sign-in") and answer.status in (303, 404):
                continue
            trial.must(answer.status == 200, f"{path}: {answer.status}")
            trial.must(
                "no-store" in (answer.header("cache-control") or ""), f"{path}: {answer.header('cache-control')}"
            )
            if "/api/" not in path and "/file" not in path:
                trial.must(not answer.header("content-encoding"), f"{path} is compressed")
    trial.came("no-store, not compressed")


@site("an organiser's browser", SECRETS)
def shown_once(ground, trial):
    """A secret that was shown once can be read again"""
    trial.sent("a crawl of all pages of an organiser, and the API's lists, for keys, tokens, sessions, invitations")
    pages = crawl(ground.olga.browser(), ("/", "/organiser", "/organiser/webhooks", "/account"), 300)
    for path in ("/webhooks", "/accounts", "/log", "/me", "/uploads?all=true", "/queue", "/ladders"):
        pages[path] = ground.olga.api("GET", path)
    pages["/metrics"], pages["/healthz"] = ground.stranger.get("/metrics"), ground.stranger.get("/healthz")
    for path, answer in pages.items():
        trial.lacks(answer.body, ground.secrets, path)
    trial.must(len(pages) > 50, f"only {len(pages)} pages")
    trial.came(f"none on {len(pages)} pages")


@site("a stranger", RATES)
def sign_in_rate(ground, trial):
    """Somebody tries tokens one after the other, with addresses that they forge before that of the proxy"""
    trial.sent("60 × POST /sign-in and 60 requests with tokens; X-Forwarded-For: FORGED, OWN")
    for how in ("form", "header"):
        own, statuses = ground.visitor().address, []
        for number in range(60):
            who = Visitor(ground.port, f"203.0.113.{number}, {own}")
            if how == "form":
                statuses.append(who.form("/sign-in", token="flipside_" + "0" * 64).status)
            else:
                who.token = "flipside_" + "0" * 64
                statuses.append(who.api("GET", "/me").status)
        trial.came(f"{statuses.count(429)} of 60 get 429")
        trial.must(statuses.count(429) >= 30, f"{how}: only {statuses.count(429)} of 60 are refused")
    trial.must(ground.visitor().form("/sign-in", token=ground.ada.token).status == 303, "others cannot sign in")


@site("a stranger", RATES)
def sign_up_rate(ground, trial):
    """Somebody guesses invitations from one address"""
    who = ground.visitor()
    statuses = [who.form("/join/" + f"{number:064x}", name=f"guess{number}").status for number in range(60)]
    trial.sent("60 × POST /join/GUESS")
    trial.came(f"{statuses.count(429)} of 60 get 429")
    trial.must(statuses.count(429) >= 20 and 200 not in statuses, f"{sorted(set(statuses))}")


@site("an author", RATES)
def account_rate(ground, trial):
    """An account sends requests from many addresses"""
    zoe = ground.account("zoe", ground.link)
    trial.sent("2,600 requests with one token, each from another address")
    statuses = []
    for number in range(2600):
        zoe.address = f"203.0.{number // 250}.{number % 250 + 1}"
        statuses.append(zoe.api("GET", "/me").status)
    refused = statuses.count(429)
    trial.came(f"{refused} get 429")
    trial.must(refused > 0, "no request is refused")
    trial.must(ground.stranger.api("GET", "").status == 200, "others are refused, too")


@site("a stranger", RATES)
def proxy_header_without_proxy(ground, trial):
    """A site without a proxy believes the addresses that visitors tell"""
    ground.run.ok("tournament", GAME, "sample:random", "sample:greedy", "--arena", "plain", "--no-affinity")
    plain = Served(ground.run, "plain")
    try:
        trial.sent("60 attempts to sign in, each with another X-Forwarded-For, to a site without --behind-proxy")
        statuses = [
            Visitor(plain.port, f"203.0.113.{number}").form("/sign-in", token="flipside_x").status
            for number in range(60)
        ]
        trial.came(f"{statuses.count(429)} of 60 get 429")
        trial.must(statuses.count(429) >= 30, f"only {statuses.count(429)} are refused")
    finally:
        plain.end()
