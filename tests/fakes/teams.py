"""Stands in for a Teams Workflows webhook: takes Adaptive Cards as the vendor does, refuses what it would drop."""

import json
import time
from typing import Any

from tests.fakes.http_server import Recorded, Reply, VendorServer

# What the vendor's flow fails beyond, after it has wrapped the request.
_TOO_LARGE = 28 * 1024
PATH = "/workflows/abc/triggers/manual/paths/invoke?api-version=1&sig=TOP-SECRET-SIGNATURE"
SIGNATURE = "TOP-SECRET-SIGNATURE"


class Teams(VendorServer):
    """A webhook; `webhook` is its secret address, `cards` what was accepted."""

    def __init__(self) -> None:
        super().__init__(self._judge)
        self.cards: list[dict[str, Any]] = []
        self.arrivals: list[float] = []

    @property
    def webhook(self) -> str:
        return self.url + PATH

    def _judge(self, request: Recorded) -> Reply:
        self.arrivals.append(time.monotonic())
        try:
            card = _card(request)
        except (ValueError, KeyError, TypeError) as error:
            return Reply.of({"error": str(error)}, 400)
        self.cards.append(card)
        return Reply(202)


def _card(request: Recorded) -> dict[str, Any]:
    if request.method != "POST" or request.path != PATH:
        raise ValueError("no such flow")
    if len(request.body) > _TOO_LARGE:
        raise ValueError("too large")
    message = json.loads(request.body.decode())
    if message["type"] != "message":
        raise ValueError("a bare object posts nothing")
    (attachment,) = message["attachments"]
    if (
        attachment["contentType"] != "application/vnd.microsoft.card.adaptive"
        or attachment["contentUrl"] is not None
    ):
        raise ValueError("no card")
    card: dict[str, Any] = attachment["content"]
    if card["type"] != "AdaptiveCard" or card["version"] != "1.4" or not card["body"]:
        raise ValueError("no card of a version that is shown")
    return card


def text_of(card: dict[str, Any]) -> str:
    """Everything a reader of the card sees, one block a line."""
    return "\n".join("".join(run["text"] for run in block["inlines"]) for block in card["body"])


def link_of(card: dict[str, Any]) -> str:
    """Where the card's button leads."""
    (action,) = card["actions"]
    return str(action["url"])
