"""A vendor of nobody's, for what holds of all: it takes its key in a header or in the address, and likes to quote it."""

import json
from urllib.parse import unquote

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says

FAR_PAST = "Mon, 30 Nov 2015 00:00:00 GMT"


def _quotes_the_key(request: Recorded) -> Reply:
    """As it stood in the address, decoded, with its slashes escaped, and under a name that the reader prints first."""
    plain = unquote(request.path)
    said = f"{request.headers.get('authorization')} {request.path} {plain} " + plain.replace("&", "&amp;")
    body = json.dumps({"error": {"message": said}}).replace("/", "\\/")
    return Reply(401, body.encode())


def _escapes_the_key(request: Recorded) -> Reply:
    """Every character of it as JSON may write it."""
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in request.headers["authorization"])
    return Reply(401, b'{"error": {"message": "%s"}}' % escaped.encode())


SCENARIOS: dict[str, Scenario] = {
    "ok": says({"greeting": "어서 오세요"}),
    "refused_in_200": says({"error": {"code": 17, "message": "not today"}}),
    "quotes_the_key": _quotes_the_key,
    "escapes_the_key": _escapes_the_key,
    "unauthorized": says({}, 401),
    "forbidden": says({}, 403),
    "bad_request": says({}, 400),
    "throttled": says({}, 429),
    "throttled_for_seconds": says({}, 429, Retry_After="7"),
    "throttled_till_a_past_date": says({}, 429, Retry_After=FAR_PAST),
    "throttled_for_years": says({}, 429, Retry_After="99999999999"),
    "throttled_in_words": says({}, 429, Retry_After="in a while"),
}
