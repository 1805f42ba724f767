"""NATS as an attacker speaks it: the line protocol over a socket, and the signature with which an NKey logs in."""

import base64
import hashlib
import json
import os
import re
import socket
import threading
import time

# Ed25519 as RFC 8032 has it, for a few signatures: slow, and not safe against those who measure it.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def recovered(y):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT % P
    return x if x % 2 == 0 else P - x


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (recovered(BASE_Y), BASE_Y, 1, recovered(BASE_Y) * BASE_Y % P)


def added(one, two):
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    out = (0, 1, 1, 0)
    while number:
        if number & 1:
            out = added(out, point)
        point, number = added(point, point), number >> 1
    return out


def packed(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def keys(seed):
    """The secret number, the prefix and the public key of a seed of 32 bytes."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return secret, digest[32:], packed(times(secret, BASE))


def signed(seed, message):
    secret, prefix, public = keys(seed)
    number = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % ORDER
    point = packed(times(number, BASE))
    hashed = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little") % ORDER
    return point + ((number + hashed * secret) % ORDER).to_bytes(32, "little")


def checksum(data):
    """CRC-16 as XMODEM has it."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1
    return crc & 0xFFFF


def public_key(seed):
    """The public key of a user, as nats.conf has it."""
    data = bytes([20 << 3]) + keys(seed)[2]
    return base64.b32encode(data + checksum(data).to_bytes(2, "little")).decode().rstrip("=")


def seed_of(text):
    """The 32 bytes of a seed of a user (SU...)."""
    data = base64.b32decode(text.strip() + "=" * (-len(text.strip()) % 8))
    return data[2:34]


class Message:
    def __init__(self, subject, reply, headers, data):
        self.subject, self.reply, self.headers, self.data = subject, reply, headers, data

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def is_nobody(self):
        """Whether the server says that nobody listens to a request."""
        return b"503" in self.headers.split(b"\r\n")[0]


class Nats:
    """A connection to a server. What the server refuses is in `errors`."""

    def __init__(self, address, seed=None, inbox="none", **more):
        self.address, self.inbox, self.number = address, f"_INBOX.{inbox}", 0
        self.errors, self.messages, self.closed, self.lock = [], {}, False, threading.Lock()
        self.socket = socket.create_connection(address, 10)
        self.file = self.socket.makefile("rb")
        self.info = json.loads(self.file.readline().split(b" ", 1)[1])
        options = {
            "verbose": False,
            "pedantic": False,
            "headers": True,
            "no_responders": True,
            "lang": "x",
            "version": "1",
            **more,
        }
        if seed:
            signature = base64.urlsafe_b64encode(signed(seed, self.info["nonce"].encode())).decode().rstrip("=")
            options.update({"nkey": public_key(seed), "sig": signature, **more})
        self.send(b"CONNECT " + json.dumps(options).encode() + b"\r\nPING\r\n")
        self.is_in = None
        threading.Thread(target=self.read, daemon=True).start()
        end = time.monotonic() + 10
        while self.is_in is None and not self.closed and time.monotonic() < end:
            time.sleep(0.01)

    def send(self, data):
        with self.lock:
            try:
                self.socket.sendall(data)
            except OSError:
                self.closed = True

    def read(self):
        try:
            while line := self.file.readline():
                words = line.split()
                if line.startswith(b"PING"):
                    self.send(b"PONG\r\n")
                elif line.startswith(b"PONG"):
                    self.is_in = True
                elif line.startswith(b"-ERR"):
                    self.errors.append(line.decode().strip())
                elif words and words[0] in (b"MSG", b"HMSG"):
                    has_headers = words[0] == b"HMSG"
                    total = int(words[-1])
                    data = self.file.read(total + 2)[:total]
                    head = int(words[-2]) if has_headers else 0
                    rest = 5 if has_headers else 4
                    reply = words[3].decode() if len(words) > rest else None
                    message = Message(words[1].decode(), reply, data[:head], data[head:])
                    self.messages.setdefault(words[2].decode(), []).append(message)
        except OSError:
            pass
        self.closed = True

    def subscribe(self, subject):
        self.number += 1
        sid = str(self.number)
        self.messages[sid] = []
        self.send(f"SUB {subject} {sid}\r\n".encode())
        return sid

    def publish(self, subject, data=b"", reply="", headers=None):
        data = data.encode() if isinstance(data, str) else data
        middle = f" {reply}" if reply else ""
        if headers:
            head = (
                b"NATS/1.0\r\n" + b"".join(f"{key}: {value}\r\n".encode() for key, value in headers.items()) + b"\r\n"
            )
            line = f"HPUB {subject}{middle} {len(head)} {len(head) + len(data)}\r\n"
            self.send(line.encode() + head + data + b"\r\n")
        else:
            self.send(f"PUB {subject}{middle} {len(data)}\r\n".encode() + data + b"\r\n")

    def request(self, subject, data=b"", seconds=3.0, headers=None):
        """The answer to a request; None where none comes."""
        inbox = f"{self.inbox}.{os.urandom(6).hex()}"
        sid = self.subscribe(inbox)
        before = len(self.errors)
        self.publish(subject, json.dumps(data) if isinstance(data, dict) else data, inbox, headers)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.closed:
            if self.messages[sid]:
                return self.messages[sid][0]
            if any(subject.lower() in error.lower() for error in self.errors[before:]):
                return None
            time.sleep(0.005)
        return None

    def flush(self):
        """Waits until the server has read all that was sent."""
        self.is_in = None
        self.send(b"PING\r\n")
        end = time.monotonic() + 5
        while not self.is_in and not self.closed and time.monotonic() < end:
            time.sleep(0.005)

    def end(self):
        self.closed = True
        self.socket.close()


def configuration(text, publics, port, store):
    """The nats.conf of the documentation, with keys, on loopback and without TLS."""
    names = ["DIRECTOR", "WORKER_1", "WORKER_2"]
    for name, public in zip(names, publics):
        text, count = re.subn(rf'(?m)^{name} = ".*"$', f'{name} = "{public}"', text)
        if count != 1:
            raise RuntimeError(f"nats.conf has no key {name}")
    text = re.sub(r'listen: ".*"', f'listen: "127.0.0.1:{port}"', text)
    text = re.sub(r"(?s)tls \{.*?\n\}\n", "", text)
    return re.sub(r'store_dir: ".*"', f'store_dir: "{store}"', text)
