"""Preflights are answered from the template's CORS settings, and not at all without them."""

import httpx
import pytest

from emulator.http_api import HttpApi
from emulator.template import Cors

ORIGIN = "https://console.example"


@pytest.fixture
async def ask(make_stack):
    stack = await make_stack()

    async def send(cors, method, path, **headers):
        app = HttpApi(stack.template.routes, stack.service, cors)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://api.example") as client:
            return await client.request(method, path, headers=headers)

    return send


PREFLIGHT = {"origin": ORIGIN, "access-control-request-method": "POST"}
SETTINGS = Cors(
    origins=(ORIGIN,), methods=("POST",), headers=("authorization",), credentials=True, max_age_s=60
)


async def test_a_preflight_of_an_allowed_origin_is_allowed(ask):
    answer = await ask(SETTINGS, "OPTIONS", "/things", **PREFLIGHT)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-allow-headers"] == "authorization"
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert answer.headers["access-control-max-age"] == "60"


async def test_a_preflight_of_another_origin_is_allowed_nothing(ask):
    answer = await ask(SETTINGS, "OPTIONS", "/things", **{**PREFLIGHT, "origin": "https://else.example"})
    assert "access-control-allow-origin" not in answer.headers


async def test_an_answer_to_an_allowed_origin_says_so(ask):
    answer = await ask(SETTINGS, "GET", "/things/7", origin=ORIGIN)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == ORIGIN


async def test_without_settings_a_preflight_is_a_request_like_any_other(ask):
    assert (await ask(None, "OPTIONS", "/things", **PREFLIGHT)).status_code == 404
