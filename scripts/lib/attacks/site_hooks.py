"""Attacks by webhooks on what the server can reach, and by receivers on the server."""

import base64
import hashlib
import hmac
import re
import time

from .ground_site import GAME
from .promises import ENDED, ESCAPED, HOOKS, HOOK_SENDS, HOOK_WAITS, RACES
from .trial import attack, waits
from .web import Listener, together

# Ways to write this machine and its network.
INSIDE = [
    "127.0.0.1:@",
    "localhost:@",
    "127.1:@",
    "0x7f000001:@",
    "2130706433:@",
    "0177.0.0.1:@",
    "0.0.0.0:@",
    "[::1]:@",
    "[::ffff:127.0.0.1]:@",
    "[::]:@",
    "127.0.0.1.:@",
    "localhost.:@",
    "169.254.169.254",
    "10.0.0.1",
    "[fe80::1]",
]


def site(who, promise):
    return attack("site", who, promise)


class Hooked:
    """Webhooks of the organiser for a while, and a tournament of which they are told."""

    def __init__(self, ground, trial):
        self.ground, self.trial, self.numbers = ground, trial, []

    def __enter__(self):
        return self

    def add(self, url, must=201):
        answer = self.ground.olga.api("POST", "/webhooks", {"url": url})
        self.trial.must(answer.status == must, f"{url}: {answer.status} {answer.detail}")
        if answer.status == 201:
            self.numbers.append(answer.json["webhook"])
        return answer

    def shown(self, number=-1):
        items = self.ground.olga.api("GET", "/webhooks").json["items"]
        return next(one for one in items if one["webhook"] == self.numbers[number])

    def tell(self):
        """Lets a match be played, of which the webhooks are told."""
        asked = {"game": GAME, "bots": ["sample:random", "sample:greedy"], "rounds": 1}
        name = self.ground.olga.api("POST", "/requests", asked).json["tournament"]
        self.ground.must(lambda: self.ground.stranger.api("GET", f"/tournaments/{name}/standings").json["over"])

    def __exit__(self, *_):
        for number in self.numbers:
            self.ground.olga.api("DELETE", f"/webhooks/{number}")


@site("an author", HOOKS)
def inside_by_author(ground, trial):
    """An author makes the server ask an address of this machine or its network, written in fifteen ways"""
    listener = Listener()
    trial.sent(", ".join(INSIDE))
    for place in INSIDE:
        url = f"http://{place.replace('@', str(listener.port))}/canary"
        for who in (ground.bob, ground.stranger):
            answer = who.api("POST", "/webhooks", {"url": url})
            trial.must(answer.status in (401, 403), f"{url}: {answer.status}")
        answer = ground.bob.browser().form("/organiser/webhooks", url=url)
        trial.must(answer.status == 403, f"the form with {url}: {answer.status}")
    trial.gets(ground.bob.api("GET", "/webhooks"), 403, words="the list")
    time.sleep(1.5)
    trial.must(not listener.requests, "the listener was asked")
    listener.end()


@site("an author", HOOKS)
def other_fetches(ground, trial):
    """An author gets an address into the server by another field: names, TOML, bots, games, options"""
    listener = Listener()
    url = f"http://127.0.0.1:{listener.port}/canary"
    trial.sent(f"{url} as a bot, a game, an option, a name, a Referer, an Origin, a Host")
    who = ground.ada
    for method, path, value in (
        ("POST", "/requests", {"game": GAME, "bots": [url, "adabot"]}),
        ("POST", "/requests", {"game": url, "bots": ["adabot", "bobbot"]}),
        ("POST", "/play", {"game": GAME, "bots": [url]}),
        ("POST", "/play", {"game": GAME, "bots": ["adabot"], "options": {"url": url}}),
        ("POST", "/leagues/spring/entries", {"bot": url}),
    ):
        answer = who.api(method, path, value, Referer=url, Origin=url)
        trial.must(400 <= answer.status < 500, f"{path}: {answer.status}")
    who.get("/", Host=f"127.0.0.1:{listener.port}", X_Forwarded_Host=f"127.0.0.1:{listener.port}")
    who.ask("GET", url)
    time.sleep(1)
    trial.must(not listener.requests, "the listener was asked")
    trial.came("refused, the listener heard nothing")
    listener.end()


@site("an organiser's browser", HOOK_SENDS)
def other_schemes(ground, trial):
    """A webhook has an address that is not HTTP, has a password, or breaks its line"""
    urls = [
        "file:///etc/passwd",
        "gopher://127.0.0.1:1/x",
        "ftp://127.0.0.1/",
        "unix:/run/x.sock",
        "data:,x",
        "javascript:1",
        "http://user:secret@127.0.0.1/",
        "http://127.0.0.1@evil.example/",
        "//127.0.0.1/",
        "http:///x",
        "http://",
        "http://127.0.0.1/\r\nX-Canary: 1",
        "http://127.0.0.1/ x",
        "http://127.0.0.1\t/",
        "http://a\u0000b/",
        "h\u0442tp://x/",
        "http://127.0.0.1/" + "x" * 2100,
    ]
    trial.sent(", ".join(url[:30] for url in urls))
    with Hooked(ground, trial) as hooks:
        for url in urls:
            answer = hooks.add(url, 422)
        trial.came(answer.status)


@site("a receiver of a webhook", HOOK_SENDS)
def redirected(ground, trial):
    """A receiver leads the server to another address of its network"""
    other = Listener()
    statuses = (301, 302, 303, 307, 308)
    trial.sent(f"{statuses} with Location, Refresh and Content-Location to another listener; a listener there")
    leading = [
        Listener(
            f"HTTP/1.1 {status} X\r\nLocation: http://127.0.0.1:{other.port}/canary\r\n"
            f'Refresh: 0; url=http://127.0.0.1:{other.port}/\r\nAlt-Svc: h2="127.0.0.1:{other.port}"\r\n'
            "Content-Length: 0\r\n\r\n".encode()
        )
        for status in statuses
    ]
    with Hooked(ground, trial) as hooks:
        for listener in leading:
            hooks.add(f"http://127.0.0.1:{listener.port}/")
        hooks.tell()
        trial.must(waits(lambda: all(one.requests for one in leading), 60), "not all receivers were asked")
        time.sleep(2)
        trial.must(not other.requests, "the server followed")
        trial.came(f"{len(other.requests)} requests at the other address; the list says {hooks.shown()['said']!r}")
    for listener in (*leading, other):
        listener.end()


@site("an organiser's browser", HOOK_SENDS)
def shown_response(ground, trial):
    """A response from inside the network is shown to whoever registered the webhook"""
    canary = "canary-of-an-inner-service"
    trial.sent(f"a receiver that answers 200 and 500 with {canary} in reason, headers and body")
    for status in (200, 500):
        body = f"<b>{canary}</b>".encode()
        listener = Listener(
            f"HTTP/1.1 {status} {canary}\r\nX-A: {canary}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        with Hooked(ground, trial) as hooks:
            hooks.add(f"http://127.0.0.1:{listener.port}/")
            hooks.tell()
            trial.must(waits(lambda hooks=hooks: hooks.shown()["said"], 60), "the attempt does not end")
            for answer in (
                ground.olga.api("GET", "/webhooks"),
                ground.olga.browser().get("/organiser/webhooks"),
                ground.olga.api("GET", "/log"),
            ):
                trial.lacks(answer.raw, {"the response": canary}, "a page")
        listener.end()
    trial.must(canary not in ground.served.said(), "the log has the response")
    trial.came("only the status")


@site("an organiser's browser", HOOK_SENDS)
def on_itself(ground, trial):
    """A webhook is aimed at requests of the site itself"""
    paths = [
        "/sign-out",
        "/api/v1/me/token",
        "/api/v1/accounts/ada/disable",
        "/organiser/disable?account=ada&disabled=true",
    ]
    trial.sent(f"POST by the server itself to {', '.join(paths)}")
    with Hooked(ground, trial) as hooks:
        for path in paths:
            hooks.add(f"http://127.0.0.1:{ground.port}{path}")
        hooks.tell()
        trial.must(
            waits(lambda: all(hooks.shown(at)["said"] for at in range(len(paths))), 60), "the attempts do not end"
        )
        said = [hooks.shown(at)["said"] for at in range(len(paths))]
        trial.came("; ".join(said))
        trial.must(all(hooks.shown(at)["delivered"] == 0 for at in range(len(paths))), f"one was taken: {said}")
    trial.must(ground.ada.api("GET", "/me").status == 200, "the account was disabled")


@site("a receiver of a webhook", HOOK_SENDS)
def what_is_sent(ground, trial):
    """A message has a secret of the server beside the result, or one that others can forge"""
    secret = ground.secrets["the key of a webhook"]
    ground.must(lambda: ground.listener.requests)
    message = ground.listener.requests[0]
    head, body = message.split(b"\r\n\r\n", 1)
    headers = {key.lower(): value.strip() for key, value in re.findall(r"([\w-]+): (.*)\r?", head.decode())}
    trial.sent("the headers of a message; its signature, computed again")
    trial.must(
        not set(headers) & {"authorization", "cookie", "x-forwarded-for", "proxy-authorization"},
        f"headers {set(headers)}",
    )
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    trial.must(headers["webhook-signature"] == signature, "the signature does not fit")
    trial.must(len(key) >= 24, f"a key of {len(key)} bytes")
    trial.must(abs(int(headers["webhook-timestamp"]) - time.time()) < 3600, "an old time")
    trial.lacks(message, ground.secrets, "the message")
    trial.came("signed, no secret")


def endless(piece, pause=0.0):
    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        end = time.monotonic() + 40
        while time.monotonic() < end:
            connection.sendall(piece)
            time.sleep(pause)

    return answer


@site("a receiver of a webhook", HOOK_WAITS)
def endless_response(ground, trial):
    """A receiver answers without an end, never, or with nonsense, and keeps the messages of others waiting"""
    kinds = {
        "endless headers": endless(b"X: y\r\n"),
        "a byte a second": endless(b"X", 1.0),
        "endless body": endless(b"\r\n" + b"x" * 65536),
        "never": lambda connection: time.sleep(30),
        "100 Continue for ever": endless(b"HTTP/1.1 100 Continue\r\n\r\n", 0.01),
        "nonsense": b"\x00\xff" * 1000,
        "a header of 1 MiB": b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n",
        "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "closed": b"",
        "a bad chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
    }
    trial.sent(", ".join(kinds))
    bad = {name: Listener(answer) for name, answer in kinds.items()}
    good = Listener()
    with Hooked(ground, trial) as hooks:
        for listener in bad.values():
            hooks.add(f"http://127.0.0.1:{listener.port}/")
        hooks.add(f"http://127.0.0.1:{good.port}/")
        began = time.monotonic()
        hooks.tell()
        came = waits(lambda: len(good.requests) >= 2, 60)
        took = time.monotonic() - began
        trial.must(came, f"only {len(good.requests)} messages came to the other receiver")
        trial.must(waits(lambda: all(hooks.shown(at)["said"] for at in range(len(bad))), 60), "an attempt does not end")
        trial.came(f"the other receiver has its messages after {took:.0f} s; all attempts end")
    for listener in (*bad.values(), good):
        listener.end()
    trial.must(ground.served.is_alive(), "the server does not answer")


@site("an organiser's browser", RACES)
def registered_at_once(ground, trial):
    """Forty webhooks are registered at the same moment, of which twenty may be"""
    trial.sent("40 × POST /api/v1/webhooks at once")
    calls = [
        lambda at=at: ground.olga.api("POST", "/webhooks", {"url": f"http://127.0.0.1:9/{at}", "tournament": "old"})
        for at in range(40)
    ]
    answers = together(calls)
    numbers = [answer.json["webhook"] for answer in answers if answer.status == 201]
    total = len(ground.olga.api("GET", "/webhooks").json["items"])
    trial.came(f"{total} webhooks")
    for number in numbers:
        ground.olga.api("DELETE", f"/webhooks/{number}")
    trial.must(total <= 20, f"{total} webhooks")


@site("an organiser's browser", ESCAPED)
def address_as_script(ground, trial):
    """The address of a webhook is a script on the page that lists it"""
    url = "http://127.0.0.1:9/'%22><script>canary()</script>"
    trial.sent(url)
    with Hooked(ground, trial) as hooks:
        answer = ground.olga.api("POST", "/webhooks", {"url": url, "tournament": "old"})
        if answer.status == 201:
            hooks.numbers.append(answer.json["webhook"])
        page = ground.olga.browser().get("/organiser/webhooks")
        trial.must("<script>canary" not in page.text, "the page has the script")
        trial.came(f"{answer.status}, escaped")


@site("an organiser's browser", ENDED)
def disabled_organiser(ground, trial):
    """The webhook of an organiser who was disabled goes on"""
    listener = Listener()
    omar = ground.account("omar", ground.invite("--organiser"))
    number = omar.api("POST", "/webhooks", {"url": f"http://127.0.0.1:{listener.port}/"}).json["webhook"]
    trial.sent("a match after the account was disabled")
    ground.olga.api("POST", "/accounts/omar/disable")
    with Hooked(ground, trial) as hooks:
        hooks.tell()
        time.sleep(3)
        trial.must(not [one for one in listener.requests if b"request-" in one], "it was told")
    ground.olga.api("DELETE", f"/webhooks/{number}")
    trial.came(f"{len(listener.requests)} messages")
    listener.end()
