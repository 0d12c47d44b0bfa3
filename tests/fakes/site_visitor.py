"""A process that collects websites one after the other and says what each gave and cost.

    python -m tests.fakes.site_visitor '{"allow": "127.0.0.1:8123", "limits": {}, "websites": [...]}'

prints a JSON list of `{outcome, code, notes, seconds, grown}`, `grown` being by how many bytes the process's largest memory
ever grew with that website; what the C libraries take is part of it.
"""

import asyncio
import dataclasses
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from functions.collect.channels.website import WebsiteChannel
from functions.collect.website.crawl import Limits
from shared.settings import Settings
from tests.channels import asking

_ROOT = Path(__file__).resolve().parent.parent.parent
_UNIT = 1 if sys.platform == "darwin" else 1024  # in which the system tells the largest memory


def visited(allow: str, websites: list[str], *, seconds: float = 30.0, **limits: Any) -> list[dict[str, Any]]:
    """What each website gave and cost a fresh process, whose first one should be harmless: it warms the process up."""
    order = {"allow": allow, "limits": limits, "websites": websites, "seconds": seconds}
    command = [sys.executable, "-m", "tests.fakes.site_visitor", json.dumps(order)]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=110)
    return list(json.loads(done.stdout))


async def _visit(order: dict[str, Any], website: str) -> dict[str, Any]:
    before, began = _largest(), time.monotonic()
    ask = asking(
        Settings(crawl_allow=order["allow"]), names=["온기식당"], website=website, seconds=order["seconds"]
    )
    limits = dataclasses.replace(Limits(), **order["limits"])
    outcome = await WebsiteChannel(limits).collect(ask)
    return {
        "outcome": outcome.outcome,
        "code": outcome.code,
        "notes": outcome.notes,
        "seconds": time.monotonic() - began,
        "grown": _largest() - before,
    }


def _largest() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


if __name__ == "__main__":
    _ORDER = json.loads(sys.argv[1])
    sys.stdout.write(json.dumps([asyncio.run(_visit(_ORDER, website)) for website in _ORDER["websites"]]))
