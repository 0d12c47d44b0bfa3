"""Gemini with a quota, as a process of its own: it counts every call of a model by a sliding minute and refuses what is over.

    with metered_gemini(requests_minute=15) as url:
        ...                      # gemini_base_url=url
        calls = calls_of(url)    # every call that arrived, in order

A refusal names the time until the oldest call leaves the window, as the vendor's does. What is asked is answered well.
"""

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.fakes import gemini as vendor
from tests.fakes.http_server import Recorded, Reply

_ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Call:
    """One call: when it arrived (Unix time), of which model, about which place, with how many pictures, let in or not.

    `closed_until` is when the refusal said that calls would be let in again; 0 for a call that was let in.
    """

    at: float
    model: str
    about: str
    images: int
    admitted: bool
    closed_until: float = 0.0


def most_in_window(calls: list[Call], seconds: float) -> int:
    """The most calls, refused ones too, in any window of so many seconds."""
    times = [call.at for call in calls]
    return max((sum(start <= at < start + seconds for at in times) for start in times), default=0)


@contextmanager
def metered_gemini(requests_minute: int, window: float = 60.0) -> Iterator[str]:
    """The address of a running one; its process ends with the block."""
    command = [sys.executable, "-m", "tests.fakes.metered_gemini", str(requests_minute), str(window)]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, "the metered stand-in does not start"
            yield url
        finally:
            process.kill()


def calls_of(url: str) -> list[Call]:
    """Every call so far."""
    return [Call(**call) for call in httpx.get(f"{url}/_calls", trust_env=False, verify=False).json()]


class _Metered(vendor.FakeGemini):
    def __init__(self, requests_minute: int, window: float) -> None:
        super().__init__(_truthful)
        self._answer_well = self.default
        self.default = self._metered
        self._limit = requests_minute
        self._window = window
        self._calls: list[Call] = []
        self._count = threading.Lock()

    def _metered(self, request: Recorded) -> Reply:
        if request.path == "/_calls":
            with self._count:
                return Reply.of([asdict(call) for call in self._calls])
        model, images = vendor.model_of(request), len(vendor.images_of(request))
        with self._count:
            now = time.time()
            within = [
                c.at for c in self._calls if c.admitted and c.model == model and c.at > now - self._window
            ]
            wait = 0.0 if len(within) < self._limit else within[0] + self._window - now
            until = now + wait if wait else 0.0
            self._calls.append(Call(now, model, _name_in(request), images, not wait, until))
        return vendor.quota_minute(f"{wait:.3f}s")(request) if wait else self._answer_well(request)


def _name_in(request: Recorded) -> str:
    match = re.search(r'"name": "([^"]*)"', "".join(vendor.texts_of(request)))
    return match[1] if match else ""


def _truthful(request: Recorded) -> Any:
    """What may be said of any place: its name. Pictures show a bowl."""
    images = len(vendor.images_of(request))
    if images:
        told = {"kind": "product", "alt_ko": "그릇 하나", "alt_en": "A bowl", "quality": 0.5, "hero_fit": 0.5}
        return {"photos": [{"index": n, **told, "menu": [], "flags": []} for n in range(1, images + 1)]}
    page = {"title": _name_in(request), "sections": [], "faq": []}
    return {"ko": {**page, "summary": "음식점입니다."}, "en": {**page, "summary": "A restaurant."}}


def _main(requests_minute: int, window: float) -> None:
    """Serve until standard input ends, which it does when whoever started this is gone."""
    with _Metered(requests_minute, window).running() as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _main(int(sys.argv[1]), float(sys.argv[2]))
