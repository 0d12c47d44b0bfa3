"""A line between a client and PostgreSQL that knows the protocol's messages: it counts them, cuts at one, or goes silent."""

import asyncio
import contextlib
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias
from urllib.parse import urlsplit

_ASKS_FOR_ENCRYPTION = (80877103, 80877104)  # answered with a single byte
_STARTS_UP = 196608
_CANCELS = 80877102


class Action(Enum):
    """What becomes of a message."""

    PASS = auto()
    SWALLOW = auto()
    CUT_BEFORE = auto()  # the line is cut, and the message with it
    CUT_AFTER = auto()  # the line is cut when the message has been handed on


@dataclass(frozen=True)
class Message:
    """One message. `kind` is the protocol's letter, empty for what comes before there are letters; `line` counts connections."""

    line: int
    from_client: bool
    kind: str
    data: bytes


Rule: TypeAlias = Callable[[Message], Action]


def everything(message: Message) -> Action:
    """Hands on whatever comes."""
    return Action.PASS


def no_answers(message: Message) -> Action:
    """The server hears everything and is not heard."""
    return Action.PASS if message.from_client else Action.SWALLOW


@dataclass
class CutAt:
    """Cuts once, at the `number`th message of one side since it was armed; `number` 0 only counts both sides."""

    from_client: bool = True
    number: int = 0
    action: Action = Action.CUT_AFTER
    armed: bool = False
    cut: bool = False
    seen: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    answers: list[str] = field(default_factory=list)  # the kinds of the server's messages

    def __call__(self, message: Message) -> Action:
        if not self.armed or self.cut:
            return Action.PASS
        self.seen[message.from_client] += 1
        if not message.from_client:
            self.answers.append(message.kind)
        if message.from_client is self.from_client and self.seen[self.from_client] == self.number:
            self.cut = True
            return self.action
        return Action.PASS


class Executing:
    """Follows where a statement is executed. Preparing one is an exchange of its own, with questions about types within it."""

    def __init__(self, statement: bytes) -> None:
        self._statement = statement
        self._names: dict[int, bytes] = {}
        self._lines: set[int] = set()

    def on(self, message: Message) -> bool:
        """Whether the message is of the statement's execution, from its parameters to the server's last word."""
        if message.from_client and message.kind == "P" and self._statement in message.data:
            self._names[message.line] = message.data[5:].split(b"\0")[0]
        if message.from_client and message.kind == "B":
            self._lines.discard(message.line)
            if message.data[5:].split(b"\0")[1] == self._names.get(message.line):
                self._lines.add(message.line)
        if not message.from_client and message.kind == "Z" and message.line in self._lines:
            self._lines.discard(message.line)
            return True
        return message.line in self._lines


class _Line:
    """One client's connection and the one to the server that stands behind it."""

    def __init__(
        self, number: int, client: asyncio.StreamWriter, server: asyncio.StreamWriter | None
    ) -> None:
        self.number, self.client, self.server = number, client, server
        self.silent = server is None
        self._lettered = False
        self._single_bytes = 0

    def message_size(self, buffer: bytes, *, from_client: bool) -> int:
        """The length of the message that stands first, 0 when it is not whole yet."""
        if not from_client and self._single_bytes and buffer:
            self._single_bytes -= 1
            return 1
        offset = 0 if from_client and not self._lettered else 1
        if len(buffer) < offset + 4:
            return 0
        size = offset + int(struct.unpack_from("!i", buffer, offset)[0])
        if len(buffer) < size:
            return 0
        if offset == 0:
            code = struct.unpack_from("!i", buffer, 4)[0]
            assert code in (*_ASKS_FOR_ENCRYPTION, _STARTS_UP, _CANCELS), code
            self._single_bytes += code in _ASKS_FOR_ENCRYPTION
            self._lettered = code == _STARTS_UP
        return size

    def kind(self, message: bytes) -> str:
        return chr(message[0]) if self._lettered and len(message) > 4 else ""

    def close(self) -> None:
        for writer in (self.client, self.server):
            if writer is not None:
                writer.close()


class Proxy:
    """Listens on a port of its own. `rule` judges every message of every line, and may be changed at any time."""

    def __init__(self, database: str, rule: Rule = everything) -> None:
        self.rule = rule
        self._target = urlsplit(database)
        self._lines: list[_Line] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._black = False
        self.accepted = 0  # connections so far

    async def start(self) -> str:
        """Listen; the database's URL through the proxy."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return self._target._replace(netloc=re.sub(r":\d+$", f":{port}", self._target.netloc)).geturl()

    def lead_to(self, database: str) -> None:
        """From now on new lines lead to this server."""
        self._target = urlsplit(database)

    def cut(self) -> None:
        """Close every line there is; new ones are served as before."""
        for line in self._lines:
            line.close()
        self._lines.clear()

    def swallow(self) -> None:
        """A black hole: nothing goes through the lines there are, for ever, nor through new ones. None is closed."""
        self._black = True
        for line in self._lines:
            line.silent = True

    def serve_again(self) -> None:
        """New lines work again; those the hole has swallowed do not."""
        self._black = False

    async def stop(self) -> None:
        self.cut()
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.accepted += 1
        number = self.accepted
        with contextlib.suppress(OSError, asyncio.CancelledError):
            if self._black:
                line = _Line(number, writer, None)
                self._lines.append(line)
                await self._pump(line, reader, from_client=True)
                return
            try:
                there, server = await asyncio.open_connection(self._target.hostname, self._target.port)
            except OSError:
                writer.close()
                raise
            line = _Line(number, writer, server)
            self._lines.append(line)
            await asyncio.gather(
                self._pump(line, reader, from_client=True), self._pump(line, there, from_client=False)
            )

    async def _pump(self, line: _Line, reader: asyncio.StreamReader, *, from_client: bool) -> None:
        out = line.server if from_client else line.client
        buffer = b""
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                buffer += data
                while not line.silent and (size := line.message_size(buffer, from_client=from_client)):
                    message, buffer = buffer[:size], buffer[size:]
                    action = self.rule(Message(line.number, from_client, line.kind(message), message))
                    if action is Action.CUT_BEFORE:
                        line.close()
                        return
                    if action is not Action.SWALLOW and out is not None:
                        out.write(message)
                    if action is Action.CUT_AFTER:
                        line.close()
                        return
                if not line.silent and out is not None:
                    await out.drain()
        if out is not None and not line.silent:
            out.close()
