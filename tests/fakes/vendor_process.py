"""A vendor's stand-in as a process of its own, on a free port of loopback.

    with vendor_process("kakao") as url:
        script(url, "quota")          # from now on; requests so far are forgotten
        script(url, "cut", "ok")      # the first request is cut, all after it are answered
        ...                           # kakao_base_url=url
        [request] = requests_of(url)

A request whose address or body says `case-<scenario>` is answered by that scenario whatever is scripted, so that one
process plays different parts for different places: name them "달그릇국수 case-quota".
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote_plus

import httpx

from tests.fakes.http_server import Recorded, Reply, VendorServer
from tests.fakes.vendors import Scenario, scenarios

_ROOT = Path(__file__).resolve().parent.parent.parent
_CASE = re.compile(r"case-([a-z0-9_]+)")


@contextmanager
def vendor_process(vendor: str) -> Iterator[str]:
    """The address of a running stand-in of `tests/fakes/vendors/<vendor>.py`; its process ends with the block."""
    command = [sys.executable, "-m", "tests.fakes.vendor_process", vendor]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, f"the stand-in of {vendor} does not start"
            yield url
        finally:
            process.kill()


def script(url: str, *names: str) -> None:
    """Answer so from now on: a name a request, the last one for all that follow. Forgets the requests so far."""
    httpx.post(f"{url}/_script", json={"scenarios": names}, trust_env=False, verify=False).raise_for_status()


def requests_of(url: str) -> list[Recorded]:
    """The requests since the last `script`, in order."""
    held = httpx.get(f"{url}/_requests", trust_env=False, verify=False).json()
    return [Recorded(one["method"], one["path"], one["headers"], one["body"].encode()) for one in held]


class _ScriptedVendor(VendorServer):
    """Answers by scenario, and what it is asked over the control paths."""

    def __init__(self, named: dict[str, Scenario]) -> None:
        super().__init__(named["ok"])
        self._named = named
        self._turns = ["ok"]

    def _answer(self, request: Recorded) -> Reply:
        with self._lock:
            if request.path == "/_script":
                return self._scripted(request)
            if request.path == "/_requests":
                return Reply.of([self._told(one) for one in self.requests])
            self.requests.append(request)
            name = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        case = _CASE.search(unquote_plus(request.path) + request.body.decode("utf-8", "replace"))
        return self._named[case[1] if case else name](request)

    def _scripted(self, request: Recorded) -> Reply:
        names = request.json["scenarios"]
        unknown = [name for name in names if name not in self._named]
        if unknown or not names:
            return Reply.of({"unknown": unknown, "known": sorted(self._named)}, 404)
        self._turns = names
        self.requests.clear()
        return Reply.of({})

    def _told(self, request: Recorded) -> dict[str, object]:
        body = request.body.decode("utf-8", "replace")
        return {"method": request.method, "path": request.path, "headers": request.headers, "body": body}


def main(vendor: str) -> None:
    """Serve until standard input ends, which it does when whoever started this is gone."""
    with _ScriptedVendor(scenarios(vendor)).running() as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
