"""The HTTP API as the command line uses it: signed in, errors as `Failure`s."""

from types import TracebackType
from typing import Any

import httpx

from emulator.cli.login import Login
from emulator.cli.output import Failure

# A function's first call starts its process and imports everything.
TIMEOUT = httpx.Timeout(60.0)


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

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """The decoded answer. Raises `Failure` with the API's own words for anything but 2xx."""
        try:
            response = await self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise Failure(f"{method} {path}: no answer from {self.url} ({type(error).__name__})") from None
        if response.is_success:
            return response.json() if response.content else None
        try:
            error_body = response.json()["error"]
            message, details = error_body["message"], error_body.get("details")
        except (ValueError, KeyError, TypeError):
            message, details = response.text[:300], None
        lines = [
            f"{d['field']}: {d['message']}" for d in details or [] if isinstance(d, dict) and "field" in d
        ]
        code = 2 if response.status_code == 422 else 1
        raise Failure("; ".join(lines) or f"{message} ({response.status_code})", code=code, details=details)
