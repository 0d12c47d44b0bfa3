"""What sandboxes print, line by line, each with its function and invocation."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

_CHUNK = 65536
_LARGEST_FILE = 10 * 1024 * 1024  # bytes; a longer one is put aside, once, at the next start
_LONGEST_LINE = 256 * 1024  # bytes, CloudWatch's limit for one event


@dataclass(frozen=True)
class LogLine:
    """One line; `request_id` is None for what was printed outside an invocation (at the cold start)."""

    function: str
    sandbox: int
    request_id: str | None
    text: str


LogSink = Callable[[LogLine], None]


class LogPipe:
    """The pipe that a sandbox's standard output and error share, read by the event loop.

    `drain` takes all that is in the pipe at once, so that a line is told apart from the next invocation's.
    """

    def __init__(self, function: str, sandbox: int, sink: LogSink) -> None:
        self._function, self._sandbox, self._sink = function, sandbox, sink
        self._loop = asyncio.get_running_loop()
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._rest = b""
        self._open = True
        self.request_id: str | None = None
        self._loop.add_reader(self._reading, self.drain)

    def close_writing_end(self) -> None:
        """The child has its own copy: without ours, the pipe ends with the child."""
        os.close(self.writing)

    def drain(self) -> None:
        """Pass on every line that has been written so far."""
        while self._open:
            try:
                chunk = os.read(self._reading, _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                self.close()
                return
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                self._emit(line)
            if len(self._rest) > _LONGEST_LINE:
                self._emit(self._rest)
                self._rest = b""

    def close(self) -> None:
        """Pass on an unfinished last line and stop reading."""
        if self._open:
            self._open = False
            self._loop.remove_reader(self._reading)
            os.close(self._reading)
            if self._rest:
                self._emit(self._rest)

    def _emit(self, line: bytes) -> None:
        # The runtime joins the lines of a traceback with carriage returns, and indents with no-break spaces.
        text = line.decode("utf-8", "replace").rstrip("\r")
        for part in text.replace("\u00a0", " ").split("\r"):
            self._sink(LogLine(self._function, self._sandbox, self.request_id, part))


class LogFiles:
    """A sink that appends to `<folder>/<function>.log`, each line with its time, sandbox and invocation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, TextIO] = {}
        self.lost = 0  # lines that could not be written
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, line: LogLine) -> None:
        """Append the line. On a full disk it is lost and counted, and said once: the functions go on."""
        try:
            self._append(line)
        except OSError as error:
            if not self.lost:
                sys.stderr.write(f"logs in {self._folder} cannot be written: {error.strerror}\n")
            self.lost += 1

    def _append(self, line: LogLine) -> None:
        file = self._files.get(line.function)
        if file is None:
            path = self._folder / f"{line.function}.log"
            if path.exists() and path.stat().st_size > _LARGEST_FILE:
                path.replace(path.with_suffix(".log.1"))
            file = self._files[line.function] = path.open("a", encoding="utf-8", buffering=1)
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        file.write(f"{now} {line.sandbox:>3} {line.request_id or '-'} {line.text}\n")

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            with suppress(OSError):  # what a full disk did not take is lost
                file.close()
        self._files.clear()
