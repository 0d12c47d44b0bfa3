"""Stands in for a Teams Workflows webhook: takes Adaptive Cards as the vendor does, refuses what it would drop."""

import json
import threading
import time
from typing import Any

from tests.fakes.adaptive_card import check_card, texts
from tests.fakes.http_server import Recorded, Reply, VendorServer

# The vendor's flow fails beyond 28 KB, after it has wrapped the request in its own; this is what may be sent.
LARGEST = 20 * 1024
A_SECOND = 4
PATH = "/workflows/abc/triggers/manual/paths/invoke?api-version=1&sig=TOP-SECRET-SIGNATURE"
SIGNATURE = "TOP-SECRET-SIGNATURE"


class Teams(VendorServer):
    """A webhook; `webhook` is its secret address, `cards` what was accepted, `refusals` why others were not."""

    def __init__(self) -> None:
        super().__init__(self._judge)
        self.cards: list[dict[str, Any]] = []
        self.arrivals: list[float] = []
        self.refusals: list[str] = []
        self._counting = threading.Lock()

    @property
    def webhook(self) -> str:
        return self.url + PATH

    def has_room(self) -> bool:
        """Whether the last second has seen nothing: the next posts will not be too many."""
        with self._counting:
            return not self.arrivals or self.arrivals[-1] <= time.monotonic() - 1

    def _judge(self, request: Recorded) -> Reply:
        now = time.monotonic()
        with self._counting:
            lately = sum(arrival > now - 1 for arrival in self.arrivals)
            self.arrivals.append(now)
        if request.method != "POST" or request.path.partition("?")[0] != PATH.partition("?")[0]:
            return self._refuse(404, "no such flow")
        if request.path != PATH:
            return self._refuse(401, "the signature is wrong")
        if lately >= A_SECOND:
            return self._refuse(429, "too many requests", Retry_After="1")
        if len(request.body) > LARGEST:
            return self._refuse(413, "too large")
        try:
            card = _card(request)
        except (ValueError, KeyError, TypeError) as error:
            return self._refuse(400, str(error))
        self.cards.append(card)
        return Reply(202)

    def _refuse(self, status: int, why: str, **headers: str) -> Reply:
        self.refusals.append(f"{status} {why}")
        return Reply.of({"error": {"code": "Refused", "message": why}}, status, **headers)


def _card(request: Recorded) -> dict[str, Any]:
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise ValueError("no JSON")
    message = json.loads(request.body.decode(), parse_constant=_no_constant)
    if message["type"] != "message" or set(message) != {"type", "attachments"}:
        raise ValueError("a bare object posts nothing")
    (attachment,) = message["attachments"]
    if (
        set(attachment) != {"contentType", "contentUrl", "content"}
        or attachment["contentType"] != "application/vnd.microsoft.card.adaptive"
        or attachment["contentUrl"] is not None
    ):
        raise ValueError("no card")
    card: dict[str, Any] = attachment["content"]
    check_card(card)
    return card


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def text_of(card: dict[str, Any]) -> str:
    """Everything a reader of the card sees, one block or fact a line."""
    return "\n".join(texts(card))


def link_of(card: dict[str, Any]) -> str:
    """Where the card's button leads."""
    (action,) = card["actions"]
    return str(action["url"])
