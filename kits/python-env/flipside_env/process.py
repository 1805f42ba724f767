"""A process that answers lines with lines: the environment, or a bot."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any, Optional, Sequence

#: So much of what a process wrote to standard error is shown when it fails, in bytes.
STDERR_TAIL = 2000

#: How much a pipe for long answers holds, in bytes.
PIPE_SIZE = 1 << 20

#: ``F_SETPIPE_SZ``, which Python names only since 3.10.
_SET_PIPE_SIZE = 1031


class ProcessFailed(Exception):
    """A process did not start, did not answer, or ended. The text says why."""


def flipside_program(flipside: Optional[str] = None) -> str:
    """Returns the program ``flipside``: this path, that of the variable ``FLIPSIDE``, or the one on ``PATH``.

    Raises :class:`ProcessFailed` if there is none.
    """
    named = flipside or os.environ.get("FLIPSIDE")
    found = shutil.which(named or "flipside")
    if found is None:
        raise ProcessFailed(
            f"there is no program {named or 'flipside'}; put it on PATH, or set the variable FLIPSIDE to its path"
        )
    return os.path.abspath(found)


def line_of(message: Any) -> bytes:
    """Returns a message as a line of JSON. Raises :class:`TypeError` or :class:`ValueError` if it cannot be one."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Process:
    """A process with its lines. It ends with :meth:`close`, or when nothing refers to it."""

    def __init__(self, command: Sequence[str], cwd: Optional[str] = None) -> None:
        self.name = " ".join(command)
        self._stderr = tempfile.TemporaryFile()
        self._rest = b""
        try:
            self._child = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                cwd=cwd,
                bufsize=0,
            )
        except OSError as error:
            self._stderr.close()
            raise ProcessFailed(f"{self.name} does not start: {error}") from error
        assert self._child.stdin is not None and self._child.stdout is not None
        self._input = self._child.stdin.fileno()
        self._output = self._child.stdout.fileno()

    def expect_much(self) -> None:
        """Makes room for long answers, which would go through a pipe of the usual size in many parts."""
        if sys.platform == "linux":
            # A system allows each user so much; then the usual size has to do.
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._output, _SET_PIPE_SIZE, PIPE_SIZE)

    def send(self, line: bytes) -> None:
        """Sends a :func:`line_of` JSON."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._input, rest) :]
        except OSError:
            raise self._failed("ended before it answered") from None

    def receive(self, seconds: Optional[float] = None) -> Any:
        """Returns the next line, parsed. Waits without limit, or at most so many seconds."""
        deadline = None if seconds is None else time.monotonic() + seconds
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            if deadline is not None:
                left = max(0.0, deadline - time.monotonic())
                if not select.select([self._output], [], [], left)[0]:
                    raise self._failed(f"did not answer within {seconds} s")
            part = os.read(self._output, PIPE_SIZE)
            if not part:
                raise self._failed("ended before it answered")
            parts.append(part)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        try:
            return json.loads(line)
        except ValueError:
            shown = line[:200].decode(errors="replace")
            raise self._failed(f"wrote a line that is not JSON: {shown}") from None

    def receive_bytes(self, count: int) -> memoryview:
        """Returns so many bytes that follow a line, and passes over the newline behind them."""
        received = memoryview(bytearray(count + 1))
        known = min(len(self._rest), len(received))
        received[:known] = self._rest[:known]
        self._rest = self._rest[known:]
        missing = received[known:]
        while missing:
            read = os.readv(self._output, [missing])
            if not read:
                raise self._failed("ended before it answered")
            missing = missing[read:]
        if received[count] != ord("\n"):
            raise self._failed("wrote more bytes than it said")
        return received[:count]

    def close(self) -> None:
        """Ends the process: its input ends, and after a second it is killed. Nothing can be sent to it afterwards."""
        child = self._child
        # Another file may get their numbers.
        self._input = self._output = -1
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            child.wait(1)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        self._stderr.close()

    def __del__(self) -> None:
        # Not there if the process did not start, and closed twice is closed.
        child = getattr(self, "_child", None)
        if child is not None and child.returncode is None:
            self.close()

    def _failed(self, what: str) -> ProcessFailed:
        if self._stderr.closed:
            return ProcessFailed(f"{self.name} is closed")
        try:
            self._child.wait(0.2)
        except subprocess.TimeoutExpired:
            pass
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - STDERR_TAIL))
        said = self._stderr.read().decode(errors="replace").strip()
        return ProcessFailed(f"{self.name} {what}" + (f"; it wrote: {said}" if said else ""))
