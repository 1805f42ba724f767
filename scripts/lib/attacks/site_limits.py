"""Attacks by what is slow, endless or too much: requests that do not end, places that are held, and answers that nobody
reads."""

import os
import socket
import threading
import time

from .ground_site import bot, elapsed
from .promises import RACES, RATES, SLOW
from .trial import attack
from .web import HOST, Visitor, connect, read_all


def site(who, promise):
    return attack("site", who, promise)


@site("a stranger", SLOW)
def slow_headers(ground, trial):
    """Four hundred visitors send a header a second and never end"""
    trial.sent("400 connections, a header each second; idle ones beside them")
    connections = [connect(ground.port) for _ in range(400)]
    for one in connections[:300]:
        one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
    closed, began = set(), time.monotonic()
    while time.monotonic() - began < 25 and len(closed) < 300:
        for at, one in enumerate(connections[:300]):
            if at not in closed:
                try:
                    one.sendall(b"X: y\r\n")
                    one.setblocking(False)
                    if one.recv(1024) == b"":
                        closed.add(at)
                except BlockingIOError:
                    pass
                except OSError:
                    closed.add(at)
        _, took = elapsed(lambda: ground.stranger.get("/healthz"))
        trial.must(took < 10, f"another visitor waits {took:.1f} s")
        time.sleep(1)
    trial.came(f"{len(closed)} of 300 were closed within {time.monotonic() - began:.0f} s")
    trial.must(len(closed) == 300, f"only {len(closed)} were closed")
    for one in connections:
        one.close()


@site("a stranger", SLOW)
def slow_bodies(ground, trial):
    """The body of a form comes a byte a second"""
    trial.sent("20 × POST /sign-in with a length of 60,000, a byte each second")
    head = f"POST /sign-in HTTP/1.1\r\nHost: {HOST}:{ground.port}\r\nOrigin: http://{HOST}:{ground.port}\r\n"
    head += "Content-Length: 60000\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
    connections = [connect(ground.port) for _ in range(20)]
    for one in connections:
        one.sendall(head.encode())
    open_ones, began = set(range(20)), time.monotonic()
    while open_ones and time.monotonic() - began < 50:
        for at in list(open_ones):
            try:
                connections[at].sendall(b"x")
                connections[at].setblocking(False)
                if connections[at].recv(4096) is not None:
                    open_ones.discard(at)
            except BlockingIOError:
                pass
            except OSError:
                open_ones.discard(at)
        time.sleep(1)
    trial.came(f"given up after {time.monotonic() - began:.0f} s")
    trial.must(not open_ones, f"{len(open_ones)} go on after 50 s")
    for one in connections:
        one.close()


def trickled(ground, who, name, first=b"#!/bin/sh\n"):
    head = who.head("PUT", f"/api/v1/bots/{name}", {"Content-Length": 1 << 20})
    connection = connect(ground.port)
    connection.sendall(head + first)
    return connection


@site("an author", SLOW)
def slow_uploads(ground, trial):
    """Eight authors send an upload a byte a second, and so take all places"""
    link = ground.invite("--uses", "9")
    slow = [ground.account(f"slow{at}", link) for at in range(8)]
    trial.sent(
        "8 uploads of 1 MiB from 8 accounts at 8 addresses, a byte each second; then an upload of another author"
    )
    connections = [trickled(ground, who, f"slow{at}") for at, who in enumerate(slow)]
    time.sleep(0.5)
    ninth = ground.bob.put_bot("bobbot", bot(mark="ninth"))
    trial.must(ninth.status in (202, 503), f"the ninth upload: {ninth.status}")
    end, answers = time.monotonic() + 40, {}
    while len(answers) < 8 and time.monotonic() < end:
        for at, one in enumerate(connections):
            if at not in answers:
                try:
                    one.sendall(b"x")
                    one.setblocking(False)
                    answers[at] = one.recv(4096)[9:12].decode()
                except BlockingIOError:
                    pass
                except OSError:
                    answers[at] = "closed"
        time.sleep(1)
    trial.came(f"the ninth gets {ninth.status}; the slow ones {sorted(set(answers.values()))}")
    trial.must(len(answers) == 8, f"{8 - len(answers)} go on")
    later = ground.bob.put_bot("bobbot", bot(mark="later"))
    trial.must(later.status in (202, 429), f"afterwards: {later.status} {later.detail}")
    for one in connections:
        one.close()


@site("an author", RACES)
def uploads_at_once(ground, trial):
    """One author sends six uploads at once, and one address twelve"""
    link = ground.invite("--uses", "12")
    who = ground.account("many", link)
    same = ground.visitor().address
    others = [ground.account(f"same{at}", link) for at in range(6)]
    trial.sent("6 uploads of one account; 6 accounts from one address; all held open")
    first = [trickled(ground, who, f"many{at}") for at in range(6)]
    for one in others:
        one.address = same
    second = [trickled(ground, one, f"same{at}") for at, one in enumerate(others)]
    time.sleep(2)
    taken = []
    for group in (first, second):
        count = 0
        for one in group:
            one.settimeout(0.2)
            try:
                count += one.recv(4096) == b"never"
            except TimeoutError:
                count += 1
            except OSError:
                pass
        taken.append(count)
    trial.came(f"{taken[0]} of the account, {taken[1]} of the address are received")
    trial.must(taken[0] == 1, f"{taken[0]} of one account")
    trial.must(taken[1] <= 4, f"{taken[1]} of one address")
    for one in first + second:
        one.close()
    time.sleep(1)


@site("an author", SLOW)
def endless_upload(ground, trial):
    """An upload has no end, or says that it has 2^63 bytes"""
    who = ground.account("endless", ground.link)
    lengths = [1 << 63, (1 << 64) + 5, -1, 300 << 20]
    trial.sent(f"lengths {lengths}; chunks for ever")
    for length in lengths:
        answer = who.ask("PUT", "/api/v1/bots/endless", b"#!/bin/sh\n", Content_Length=length, seconds=5)
        trial.must(answer.status in (400, 413), f"{length}: {answer.status}")
    sent, status = 0, b""
    with connect(ground.port) as connection:
        connection.sendall(who.head("PUT", "/api/v1/bots/endless", {"Transfer-Encoding": "chunked"}))
        block = b"100000\r\n" + b"#!" + bytes((1 << 20) - 2) + b"\r\n"
        try:
            while sent < 600 << 20:
                connection.sendall(block)
                sent += 1 << 20
        except OSError:
            pass
        status = read_all(connection, 5)[9:12]
    trial.came(f"413; the stream is ended after {sent >> 20} MiB {status.decode()}")
    trial.must(sent < 600 << 20, "600 MiB were taken")
    left = os.listdir(ground.run.path("arena", "uploads"))
    sizes = [os.path.getsize(ground.run.path("arena", "uploads", name)) for name in left]
    trial.must(sum(sizes) < 64 << 20, f"{sum(sizes)} bytes are left in uploads/")


@site("a stranger", RATES)
def many_listeners(ground, trial):
    """Somebody holds a thousand streams open, and more"""
    trial.sent("1,100 × GET /live, held open")
    held, statuses = [], []
    for _ in range(1100):
        connection = connect(ground.port)
        connection.sendall(ground.stranger.head("GET", "/live", {"Connection": "keep-alive"}))
        held.append(connection)
    for connection in held:
        connection.settimeout(20)
        try:
            statuses.append(connection.recv(64)[9:12].decode())
        except OSError:
            statuses.append("none")
    answer, took = elapsed(lambda: ground.stranger.get("/"))
    trial.came(f"{statuses.count('200')} get 200, {statuses.count('503')} get 503; a page takes {took:.1f} s")
    trial.must(0 < statuses.count("200") <= 1024, f"{statuses.count('200')} streams")
    trial.must(answer.status == 200 and took < 15, f"a page: {answer.status} after {took:.1f} s")
    for connection in held:
        connection.close()


@site("a stranger", SLOW)
def never_reads(ground, trial):
    """Two hundred visitors ask for large answers and never read them"""
    trial.sent("200 × GET /matches/hidden-0/replay and /api/v1/openapi.json, ten on each connection, nothing read")
    held = []
    for _ in range(200):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((HOST, ground.port))
        head = ground.stranger.head("GET", "/api/v1/openapi.json", {"Connection": "keep-alive"})
        connection.sendall(head * 10)
        held.append(connection)
    time.sleep(1)
    times = [elapsed(lambda: ground.stranger.get("/bots"))[1] for _ in range(5)]
    with open(f"/proc/{ground.served.process.pid}/status", encoding="utf-8") as status:
        memory = next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmRSS"))
    trial.came(f"another visitor waits {max(times):.1f} s; the server has {memory} MiB")
    trial.must(max(times) < 10, f"another visitor waits {max(times):.1f} s")
    trial.must(memory < 1024, f"{memory} MiB")
    for connection in held:
        connection.close()


@site("a stranger", RATES)
def idle_connections(ground, trial):
    """Somebody opens more connections than the site takes, and says nothing"""
    trial.sent("2,200 connections without a request")
    held = []
    try:
        for _ in range(2200):
            held.append(connect(ground.port, 5))
    except OSError:
        pass
    answer, took = {}, time.monotonic()
    asking = threading.Thread(target=lambda: answer.update(it=Visitor(ground.port, None).get("/healthz", seconds=60)))
    asking.start()
    asking.join()
    took = time.monotonic() - took
    trial.came(f"{len(held)} connections; a visitor waits {took:.1f} s")
    trial.must(answer["it"].status == 200 and took < 40, f"{answer['it'].status} after {took:.1f} s")
    for connection in held:
        connection.close()
