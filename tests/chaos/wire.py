"""PostgreSQL's protocol, as far as somebody in between needs it: whole messages, and which statement is spoken of."""

import re
import struct
from collections.abc import Iterator

# The first that matches names a statement. Held against the product's own `.sql` files by a test.
_LABELS = tuple(
    (re.compile(pattern, re.IGNORECASE), label)
    for pattern, label in (
        (r"job_claim\(", "claim"),
        (r"job_start\(", "start"),
        (r"job_renew_lease\(", "renew_lease"),
        (r"job_complete\(", "complete"),
        (r"job_fail\(", "fail"),
        (r"job_snooze\(", "snooze"),
        (r"job_release\(", "release"),
        (r"job_cancelled\(", "cancelled"),
        (r"job_reap\(", "reap"),
        (r"job_cancel\(", "cancel"),
        (r"job_requeue\(", "requeue"),
        (r"job_hold\(", "hold"),
        (r"claimer_wake\(", "wake"),
        (r"INSERT INTO jobs\b", "enqueue"),
        (r"UPDATE beats\b.*woken_at = NULL", "claimer_beat"),
        (r"UPDATE alert_outbox\b.*lease_token = \$3", "alert claim"),
        (r"UPDATE alert_outbox\s+SET posted\b", "alert mark"),
        (r"INTO chaos_starts\b", "handler's read"),
        (r"INTO chaos_ledger\b", "handler's write"),
        (r"\A\s*COMMIT", "commit"),
    )
)


def label_of(statement: str) -> str:
    """What a statement is for; "other" for those nobody aims at."""
    flat = " ".join(statement.split())
    return next((label for pattern, label in _LABELS if pattern.search(flat)), "other")


class Messages:
    """Cuts one direction's bytes into (kind, whole message). A client's first one, not `started`, is a packet without a kind."""

    def __init__(self, *, started: bool) -> None:
        self._rest = bytearray()
        self._started = started

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The messages that are whole now. A start-up packet's kind is b""."""
        self._rest += data
        while True:
            head = 1 if self._started else 0
            if len(self._rest) < head + 4:
                return
            size = head + struct.unpack_from("!I", self._rest, head)[0]
            if len(self._rest) < size:
                return
            message = bytes(self._rest[:size])
            del self._rest[:size]
            self._started = True
            yield message[:head], message


def application_name(startup: bytes) -> str | None:
    """Of a start-up packet; None for a request to cancel or for TLS."""
    if struct.unpack_from("!I", startup, 4)[0] != 3 << 16:
        return None
    fields = startup[8:].split(b"\0")
    names = dict(zip(fields[::2], fields[1::2], strict=False))
    return names.get(b"application_name", b"").decode()


def parsed(message: bytes) -> tuple[bytes, str]:
    """The name and the text of the statement of a Parse message."""
    name, text = message[5:].split(b"\0", 2)[:2]
    return name, text.decode()


def bound(message: bytes) -> bytes:
    """The name of the statement that a Bind message is of."""
    return message[5:].split(b"\0", 2)[1]


def queried(message: bytes) -> str:
    """The text of a simple query."""
    return message[5:-1].decode()


def rows_of(message: bytes) -> int:
    """Of a CommandComplete: the rows it speaks of."""
    tag = message[5:-1].split(b" ")
    return int(tag[-1]) if tag[-1].isdigit() else 0
