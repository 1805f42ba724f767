#!/usr/bin/env python3
# Connects to what listens on this machine, and to the world.
# gets: closed, exited with code 77
# within: 1500 ms
# trusted: works
import socket, sys
ways = [
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", @PORT@)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", @PORT@)),
    (socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("::1", @PORT@)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "\0@SOCKET@"),
    (socket.AF_UNIX, socket.SOCK_DGRAM, "/dev/log"),
]
for family, kind, address in ways:
    try:
        socket.socket(family, kind).connect(address)
    except OSError:
        continue
    print("WORKED:", address, file=sys.stderr)
    sys.exit(66)
sys.exit(77)
