"""HTTP as an attacker speaks it: every byte can be chosen, and answers are read to their end or for a time."""

import itertools
import json
import re
import socket
import threading
import time
import urllib.parse

HOST = "127.0.0.1"
MOST_SECONDS = 60
MOST_BYTES = 64 << 20
SIGN_INS = itertools.count(1)


class Answer:
    """An answer, parsed; the status is 0 where none came."""

    def __init__(self, raw):
        self.raw = raw
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        found = re.match(r"HTTP/1\.[01] (\d{3})", lines[0])
        self.status = int(found[1]) if found else 0
        self.headers = [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line]
        self.body = chunks(body) if self.header("transfer-encoding") == "chunked" else body

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def detail(self):
        """What an error says."""
        try:
            return str(self.json.get("detail", ""))
        except (ValueError, AttributeError):
            return " ".join(re.sub("<[^>]*>", " ", self.text).split())[:200]


def chunks(body):
    out = []
    while body:
        size, _, body = body.partition(b"\r\n")
        try:
            length = int(size.split(b";")[0], 16)
        except ValueError:
            break
        if not length:
            break
        out.append(body[:length])
        body = body[length + 2 :]
    return b"".join(out)


def connect(port, seconds=MOST_SECONDS, source=None):
    return socket.create_connection((HOST, port), seconds, source_address=(source, 0) if source else None)


def read_all(connection, seconds=MOST_SECONDS, most=MOST_BYTES, until=None):
    """Reads to the end, or for so long, or so much, or until a text comes."""
    end, data = time.monotonic() + seconds, bytearray()
    try:
        while len(data) < most and (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            some = connection.recv(1 << 16)
            if not some:
                break
            data += some
            if until and until in data:
                break
    except OSError:
        pass
    return bytes(data)


def raw(port, data, seconds=MOST_SECONDS, source=None):
    """Sends bytes as they are, and returns the bytes that came."""
    with connect(port, seconds, source) as connection:
        try:
            connection.sendall(data)
        except OSError:
            pass
        return read_all(connection, seconds)


class Visitor:
    """Somebody at an address, which a proxy tells, with a token, with the session of a browser, or with neither."""

    def __init__(self, port, address, name="", token=None, cookie=None, origin=None):
        self.port, self.address, self.name = port, address, name
        self.token, self.cookie, self.word = token, cookie, None
        self.origin = origin or f"http://{HOST}:{port}"

    def head(self, method, path, more):
        headers = {"Host": f"{HOST}:{self.port}", "Connection": "close"}
        if self.address:
            headers["X-Forwarded-For"] = self.address
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.cookie:
            headers["Cookie"] = f"flipside={self.cookie}"
        headers.update(more)
        lines = [f"{key}: {value}" for key, value in headers.items() if value is not None]
        return (f"{method} {path} HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")

    def ask(self, method, path, body=None, seconds=MOST_SECONDS, until=None, **more):
        """Sends a request; underscores in names of headers are dashes."""
        headers = {key.replace("_", "-"): value for key, value in more.items()}
        if body is not None:
            body = body.encode() if isinstance(body, str) else body
            headers.setdefault("Content-Length", len(body))
        with connect(self.port, seconds) as connection:
            try:
                connection.sendall(self.head(method, path, headers) + (body or b""))
            except OSError:
                pass
            return Answer(read_all(connection, seconds, until=until))

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def api(self, method, path, value=None, **more):
        """A request of a script."""
        return self.ask(method, "/api/v1" + path, None if value is None else json.dumps(value), **more)

    def form(self, path, origin=None, **fields):
        """A form of a page, as a browser sends it: with the cookie and its origin, and the word of the session."""
        if self.word and "word" not in fields:
            fields["word"] = self.word
        body = urllib.parse.urlencode({key: value for key, value in fields.items() if value is not None})
        origin = self.origin if origin is None else origin or None
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded", Origin=origin)

    def put_bot(self, name, data, game="flipflop-3x3", **more):
        query = f"?game={game}" if game else ""
        return self.ask("PUT", f"/api/v1/bots/{urllib.parse.quote(name, safe='')}{query}", data, **more)

    def browser(self):
        """The same account with the session of a browser at an address of its own; pages tell the word of forms."""
        number = next(SIGN_INS)
        other = Visitor(self.port, f"192.0.{number // 250 + 2}.{number % 250}", self.name, origin=self.origin)
        answer = other.form("/sign-in", token=self.token)
        found = re.search(r"flipside=([0-9a-f]{64})", answer.header("set-cookie") or "")
        if not found:
            raise RuntimeError(f"cannot sign in: {answer.status} {answer.detail}")
        other.cookie = found[1]
        other.word = re.search(r'name="word" value="([0-9a-f]{64})"', other.get("/account").text)[1]
        return other


def together(calls):
    """Makes calls at the same moment, and returns what they returned."""
    barrier, out = threading.Barrier(len(calls)), [None] * len(calls)

    def one(at, call):
        barrier.wait()
        out[at] = call()

    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


class Listener:
    """A server of this script, which notes what it is sent and answers as it is told."""

    def __init__(self, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", host=HOST):
        self.answer, self.requests = answer, []
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.socket.bind((host, 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.take, args=[connection], daemon=True).start()

    def take(self, connection):
        with connection:
            data = read_all(connection, 3, until=b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", data)
            due = data.find(b"\r\n\r\n") + 4 + int(length[1]) if length else 0
            if len(data) < due:
                data += read_all(connection, 3, most=due - len(data))
            self.requests.append(data)
            try:
                if callable(self.answer):
                    self.answer(connection)
                else:
                    connection.sendall(self.answer)
            except OSError:
                pass

    def end(self):
        self.socket.close()
