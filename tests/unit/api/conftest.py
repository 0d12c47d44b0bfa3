"""The HTTP functions as Lambda calls them: payload 2.0 events in, answers out, over a real database."""

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
import pytest
from pydantic import SecretStr

import shared.aws
import shared.jobs.wake
from functions.enqueue import handler as enqueue
from functions.ops import handler as ops
from shared.identity.passwords import hash_password
from shared.identity.tokens import issue_token
from shared.identity.users import User, create_user
from shared.runtime import sandbox
from shared.settings import settings
from tests.fakes.http_server import Reply, VendorServer

JWT_SECRET = "a secret of tests alone, thirty-two bytes and more"


OPS_ROUTES = {
    f"{route.method} {route.openapi_path}" for route in ops.app._static_routes + ops.app._dynamic_routes
}


@dataclass
class Answer:
    """What a function answered."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def fields(self) -> set[tuple[str, str]]:
        """The fields and rules that an answer of 422 names."""
        assert self.status == 422, self.text
        return {(error["field"], error["rule"]) for error in self.json["error"]["details"]["fields"]}


def event(
    route: str,
    path: str,
    *,
    token: str | None = None,
    body: Any = None,
    raw: bytes | str | None = None,
    content_type: str | None = None,
    query: dict[str, str] | None = None,
) -> dict[str, Any]:
    """An API Gateway HTTP API event, as the gateway sends it."""
    method = route.split(" ", maxsplit=1)[0]
    headers = {"host": "api.example", "accept": "application/json"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    text: str | None = None
    encoded = False
    if isinstance(raw, bytes):
        text, encoded = base64.b64encode(raw).decode(), True
    elif raw is not None:
        text = raw
    elif body is not None:
        text = json.dumps(body)
    if text is not None:
        headers["content-type"] = content_type or "application/json"
    return {
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": urlencode(query or {}),
        "queryStringParameters": query or {},
        "headers": headers,
        "requestContext": {
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"},
            "requestId": "request",
            "routeKey": route,
            "stage": "$default",
        },
        "body": text,
        "isBase64Encoded": encoded,
    }


class Api:
    """Calls the functions."""

    def __init__(self, database: str, lambda_api: VendorServer) -> None:
        self._database = database
        self._lambda = lambda_api

    @property
    def invokes(self) -> list[tuple[str, Any]]:
        """The functions invoked so far, each with its event."""
        return [(request.path.split("/")[3], request.json) for request in self._lambda.requests]

    def call(self, route: str, path: str | None = None, **more: Any) -> Answer:
        function = ops if route in OPS_ROUTES else enqueue
        answer = function.handler(event(route, path or route.split(" ")[1], **more), None)
        text = answer.get("body") or ""
        if answer.get("isBase64Encoded"):
            text = base64.b64decode(text).decode()
        return Answer(answer["statusCode"], answer["headers"], text)

    def sql(self, statement: str, *args: Any) -> list[Any]:
        """Rows of a statement, over a connection of its own."""

        async def fetch(conn: Any) -> list[Any]:
            return await conn.fetch(statement, *args)

        return self.with_connection(fetch)

    def with_connection(self, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        async def main() -> Any:
            conn = await asyncpg.connect(self._database)
            try:
                return await work(conn)
            finally:
                await conn.close()

        return asyncio.run(main())

    def user(self, email: str, *, role: str = "member", password: str | None = None) -> User:
        async def make(conn: Any) -> User:
            password_hash = await hash_password(password) if password else "-"
            return await create_user(conn, email=email, password_hash=password_hash, role=role)  # type: ignore[arg-type]

        return self.with_connection(make)

    def token(self, user: User) -> str:
        return issue_token(user, SecretStr(JWT_SECRET), issuer="web4ai", minutes=5).text


@pytest.fixture(scope="session")
def lambda_api() -> Iterator[VendorServer]:
    """Takes every invoke; one for all tests, since a new address needs a new boto3 client."""
    shared.aws.lambda_client.cache_clear()
    with VendorServer(lambda _: Reply(202)).running() as server:
        yield server
    shared.aws.lambda_client.cache_clear()


@pytest.fixture
def api(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lambda_api: VendorServer
) -> Iterator[Api]:
    lambda_api.requests.clear()
    environment = {
        "DATABASE_URL": database,
        "JWT_SECRET": JWT_SECRET,
        "MEDIA_DIR": str(tmp_path / "media"),
        "SITE_ORIGIN": "https://pages.example",
        "FUNCTION_PREFIX": "test-",
        "AWS_ENDPOINT_URL_LAMBDA": lambda_api.url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "ap-northeast-2",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for cached in (settings, shared.jobs.wake._claimer):
        cached.cache_clear()
    monkeypatch.setattr(sandbox, "_connection", None)
    yield Api(database, lambda_api)
    sandbox.run(sandbox.sandbox_connection().close())
    for cached in (settings, shared.jobs.wake._claimer):
        cached.cache_clear()


@pytest.fixture
def member(api: Api) -> User:
    return api.user("mina@example.com")


@pytest.fixture
def token(api: Api, member: User) -> str:
    return api.token(member)


@pytest.fixture
def stranger(api: Api) -> str:
    return api.token(api.user("stranger@example.com"))


@pytest.fixture
def admin(api: Api) -> str:
    return api.token(api.user("admin@example.com", role="admin"))


@pytest.fixture
def place_id(api: Api, token: str) -> str:
    answer = api.call("POST /places", token=token, body={"name": "성수 국수집", "phone": "02-123-4567"})
    assert answer.status == 201, answer.text
    return answer.json["place_id"]
