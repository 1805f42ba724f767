"""Attacks on the NATS server by machines without credentials."""

import base64
import os
import socket

from .nats import Nats, public_key, signed
from .promises import NO_LOGIN
from .trial import attack

RUN = "0" * 32


def workers(who, promise):
    return attack("workers", who, promise)


@workers("a machine without credentials", NO_LOGIN)
def no_credentials(ground, trial):
    """A machine without credentials uses the server"""
    trial.sent("CONNECT without a key; SUB >, PUB of work; a name and a password; a token; nothing at all")
    for more in (
        {},
        {"user": "director", "pass": ""},
        {"auth_token": "x"},
        {"user": "$SYS", "pass": "$SYS"},
        {"jwt": "x"},
    ):
        connection = Nats(("127.0.0.1", ground.port), None, "x", **more)
        connection.subscribe(">")
        connection.publish(f"flipside.work.{RUN}.{ground.queue}", b"{}")
        answer = connection.request("$JS.API.INFO", {}, 1)
        trial.must(answer is None and not connection.is_in, f"{more}: {connection.errors}")
        trial.must(connection.closed, f"{more}: the connection stays")
        connection.end()
    trial.came("Authorization Violation, closed")


@workers("a machine without credentials", NO_LOGIN)
def wrong_signature(ground, trial):
    """A machine signs with another key, another nonce, or repeats a signature that it has seen"""
    trial.sent("a random key; the key of worker-1 with the signature of another connection, of nothing, and none")
    seed, known = os.urandom(32), public_key(ground.seeds["worker-1"])
    first = ground.connect("worker-1")
    old = base64.urlsafe_b64encode(signed(ground.seeds["worker-1"], first.info["nonce"].encode())).decode().rstrip("=")
    trials = [
        {"nkey": known, "sig": old},
        {"nkey": known, "sig": ""},
        {"nkey": known},
        {"nkey": known, "sig": base64.urlsafe_b64encode(signed(seed, b"x")).decode().rstrip("=")},
    ]
    for more in trials:
        connection = Nats(("127.0.0.1", ground.port), None, "worker-1", **more)
        trial.must(not connection.is_in, f"{list(more)}: it is in")
        connection.end()
    connection = Nats(("127.0.0.1", ground.port), seed, "worker-1")
    trial.must(not connection.is_in, "a random key is in")
    connection.end()
    first.end()
    trial.came("refused")


@workers("a machine without credentials", NO_LOGIN)
def before_login(ground, trial):
    """A machine sends commands, endless lines and megabytes before it logs in"""
    trial.sent("PUB before CONNECT; a line of 10 MB; PUB of 100 MB; HTTP; 200 silent connections")
    for data in (
        b"PUB flipside.work.x.y 2\r\n{}\r\n",
        b"x" * 10_000_000,
        b"PUB x 100000000\r\n" + b"x" * 1_000_000,
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT {" + b"[" * 100_000 + b"\r\n",
    ):
        with socket.create_connection(("127.0.0.1", ground.port), 5) as connection:
            connection.settimeout(5)
            said = b""
            try:
                connection.sendall(data)
                while some := connection.recv(65536):
                    said += some
            except OSError:
                pass
            trial.must(b"MSG" not in said and b"+OK" not in said, f"{data[:20]!r}: {said[-60:]!r}")
    silent = [socket.create_connection(("127.0.0.1", ground.port), 5) for _ in range(200)]
    worker = ground.connect("worker-1")
    trial.must(worker.request("$JS.API.INFO", {}) is not None, "a worker is not served")
    worker.end()
    for one in silent:
        one.close()
    trial.came("closed; workers are served")
