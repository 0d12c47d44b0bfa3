"""HTTP requests become payload 2.0 events, and answers become responses, as API Gateway does it."""

import asyncio
import base64

import httpx
import pytest


@pytest.fixture
async def http(make_stack):
    stack = await make_stack(http_timeout_s=3.0)
    async with httpx.AsyncClient(base_url=stack.http_url, trust_env=False, timeout=30) as client:
        yield client


async def test_an_event_has_the_fields_of_payload_format_two(http):
    answer = await http.get(
        "/things/7?tag=a&tag=b&empty=",
        headers=[
            ("X-Mixed-Case", "One"),
            ("X-Mixed-Case", "Two"),
            ("Cookie", "a=1; b=2"),
            ("User-Agent", "test"),
        ],
    )
    assert answer.status_code == 200
    assert answer.headers["x-seen"] == "yes"
    event = answer.json()
    assert event["version"] == "2.0"
    assert event["routeKey"] == event["requestContext"]["routeKey"] == "GET /things/{thing_id}"
    assert event["rawPath"] == "/things/7"
    assert event["rawQueryString"] == "tag=a&tag=b&empty="
    assert event["queryStringParameters"] == {"tag": "a,b", "empty": ""}
    assert event["pathParameters"] == {"thing_id": "7"}
    assert event["headers"]["x-mixed-case"] == "One,Two"
    assert "cookie" not in event["headers"]
    assert event["cookies"] == ["a=1", "b=2"]
    assert event["isBase64Encoded"] is False
    assert "body" not in event
    context = event["requestContext"]
    assert context["stage"] == "$default"
    assert context["http"]["method"] == "GET"
    assert context["http"]["path"] == "/things/7"
    assert context["http"]["protocol"] == "HTTP/1.1"
    assert context["http"]["sourceIp"] == "127.0.0.1"
    assert context["http"]["userAgent"] == "test"
    assert context["timeEpoch"] > 1_600_000_000_000


async def test_an_exact_path_wins_over_one_with_a_parameter(http):
    assert (await http.get("/things/all")).json()["routeKey"] == "GET /things/all"
    assert (await http.get("/things/some")).json()["routeKey"] == "GET /things/{thing_id}"


async def test_a_greedy_parameter_takes_the_rest_of_the_path_for_any_method(http):
    event = (await http.delete("/files/a/b%20c/가")).json()
    assert event["routeKey"] == "ANY /files/{path+}"
    assert event["pathParameters"] == {"path": "a/b c/가"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing"),
        ("PUT", "/things/7"),
        ("GET", "/things/"),
        ("GET", "/things/7/"),
        ("OPTIONS", "/things"),
    ],
)
async def test_what_no_route_names_is_not_found(http, method, path):
    answer = await http.request(method, path)
    assert answer.status_code == 404
    assert answer.json() == {"message": "Not Found"}


async def test_json_comes_as_text_and_bytes_come_as_base64(http):
    text = (await http.post("/things", json={"이름": "김밥"})).json()
    assert (text["isBase64Encoded"], text["body"]) == (False, '{"이름":"김밥"}')
    raw = bytes(range(256))
    binary = (await http.post("/things", content=raw, headers={"content-type": "image/png"})).json()
    assert (binary["isBase64Encoded"], base64.b64decode(binary["body"])) == (True, raw)
    broken = (await http.post("/things", content=b"\xff", headers={"content-type": "text/plain"})).json()
    assert (broken["isBase64Encoded"], base64.b64decode(broken["body"])) == (True, b"\xff")


async def test_a_chunked_body_arrives_whole(http):
    async def parts():
        for part in (b'{"a":', b" 1}"):
            yield part

    answer = await http.post("/things", content=parts(), headers={"content-type": "application/json"})
    assert answer.json()["body"] == '{"a": 1}'


async def test_a_binary_answer_with_cookies_is_decoded(http):
    answer = await http.get("/things/7?as=bytes")
    assert (answer.status_code, answer.content) == (201, b"\x89PNG\x00")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers.get_list("set-cookie") == ["a=1; Path=/", "b=2"]


async def test_an_answer_without_a_status_is_json(http):
    answer = await http.get("/things/7?as=plain")
    assert (answer.status_code, answer.json()) == (200, {"found": "한글"})
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("kind", ["nonsense", "raise"])
async def test_a_broken_answer_or_a_function_error_is_a_500_that_says_nothing(http, kind):
    answer = await http.get(f"/things/7?as={kind}")
    assert (answer.status_code, answer.json()) == (500, {"message": "Internal Server Error"})


async def test_a_function_slower_than_the_gateway_is_a_503(http):
    answer = await http.get("/things/7?as=slow")
    assert (answer.status_code, answer.json()) == (503, {"message": "Service Unavailable"})


async def test_requests_at_the_same_time_are_all_answered(http):
    answers = await asyncio.gather(*(http.get(f"/things/{n}") for n in range(6)))
    assert [answer.json()["pathParameters"]["thing_id"] for answer in answers] == [str(n) for n in range(6)]


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1, 5 * 1024 * 1024])
async def test_what_is_too_long_for_the_gateway_or_the_event_is_refused(http, size):
    answer = await http.post("/things", content=b"\x00" * size)
    assert answer.status_code == 413
