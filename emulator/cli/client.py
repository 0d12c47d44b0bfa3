"""The HTTP API as the command line uses it: signed in, errors as `Failure`s."""

import asyncio
from types import TracebackType
from typing import Any

import httpx

from emulator.cli.login import Login
from emulator.cli.output import Failure

# A function's first call starts its process and imports everything.
TIMEOUT = httpx.Timeout(60.0)

# What a gateway or a function answers while it cannot, and how often it is asked again: half a minute and more in all.
PASSING = frozenset({429, 500, 502, 503, 504})
TRIES = 20
PAUSE_SECONDS = 1.5


class Api:
    """A client of a running stack's HTTP API, signed in with the folder's login. Use it as an async context."""

    def __init__(self, url: str, login: Login) -> None:
        self.url = url
        self._login = login
        self._http = httpx.AsyncClient(base_url=url, timeout=TIMEOUT, trust_env=False)

    async def __aenter__(self) -> "Api":
        answer = await self.call(
            "POST", "/session", json={"email": self._login.email, "password": self._login.password}
        )
        self.token: str = answer["token"]
        self._http.headers["authorization"] = f"Bearer {self.token}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def call(self, method: str, path: str, *, again: bool | None = None, **options: Any) -> Any:
        """The decoded answer. Raises `Failure` with the API's own words for anything but 2xx.

        `again`: whether the call may be repeated while the system is for the moment unable to answer; GETs may.
        """
        response = await self._answer(method, path, again, options)
        if response.is_success:
            return response.json() if response.content else None
        try:
            error_body = response.json()["error"]
            message, details = error_body["message"], error_body.get("details")
        except (ValueError, KeyError, TypeError):
            message, details = f"{method} {path}: {response.reason_phrase or 'refused'}", None
        fields = details.get("fields", []) if isinstance(details, dict) else []
        lines = [f"{field['field']}: {field['message']}" for field in fields]
        code = 2 if response.status_code == 422 else 1
        raise Failure("; ".join(lines) or f"{message} ({response.status_code})", code=code, details=details)

    async def _answer(
        self, method: str, path: str, again: bool | None, options: dict[str, Any]
    ) -> httpx.Response:
        """The answer, after as many tries as are allowed and help: a killed sandbox or a busy gateway passes."""
        tries = TRIES if again or (again is None and method == "GET") else 1
        for left in reversed(range(tries)):
            pause = PAUSE_SECONDS
            try:
                response = await self._http.request(method, path, **options)
            except httpx.HTTPError as error:
                if not left:
                    message = f"{method} {path}: no answer from {self.url} ({type(error).__name__})"
                    raise Failure(message) from None
            else:
                if response.status_code not in PASSING or not left:
                    return response
                given = response.headers.get("retry-after", "")
                pause = min(float(given), 5.0) if given.isdigit() else pause
            await asyncio.sleep(pause)
        raise AssertionError("there is always a last try")
