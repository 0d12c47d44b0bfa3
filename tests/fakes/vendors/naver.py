"""Naver's local search over a few businesses, at both of the addresses it has, with the errors of service and gateway."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says

_KEYS = {
    "/search/v1/local": ("x-ncp-apigw-api-key-id", "x-ncp-apigw-api-key"),
    "/v1/search/local.json": ("x-naver-client-id", "x-naver-client-secret"),
}
_AT_MOST = 5


def entry(**changes: Any) -> dict[str, Any]:
    """The place that the tests ask about, as the vendor lists it."""
    return {
        "title": "<b>달그릇</b><b>국수</b>",
        "link": "https://dalgeureut.example/",
        "category": "한식>국수",
        "description": "",
        "telephone": "",
        "address": "서울특별시 성동구 성수동2가 300-1 1층",
        "roadAddress": "서울특별시 성동구 달그릇길 12 1층",
        "mapx": "1270559000",
        "mapy": "375446000",
    } | changes


_BRANCH = entry(
    title="<b>달그릇국수</b> 부산점",
    address="부산광역시 해운대구 중동 1500",
    roadAddress="부산광역시 해운대구 달맞이길 77",
    mapx="1291604000",
    mapy="351587000",
)
_NEIGHBOUR = entry(title="은하면옥", roadAddress="서울특별시 성동구 달그릇길 14")


def listing(*entries: Any) -> Scenario:
    """A search over these businesses."""

    def behave(request: Recorded) -> Reply:
        address = urlsplit(request.path)
        assert address.path in _KEYS, f"not a path of the vendor's: {request.path}"
        if not all(request.headers.get(name) for name in _KEYS[address.path]):
            return _unauthorized(address.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        if "query" not in asked:
            return Reply.of({"errorMessage": "Incorrect query request", "errorCode": "SE01"}, 400)
        if not 1 <= int(asked.get("display", 1)) <= _AT_MOST:
            return Reply.of({"errorMessage": "Invalid display value", "errorCode": "SE02"}, 400)
        found = [one for one in entries if _answers(one, asked["query"])]
        shown = found[: int(asked.get("display", 1))]
        return Reply.of(
            {
                "lastBuildDate": "Mon, 30 Nov 2026 20:00:00 +0900",
                "total": min(len(found), _AT_MOST),
                "start": 1,
                "display": len(shown),
                "items": shown,
            }
        )

    return behave


def _answers(one: dict[str, Any], query: str) -> bool:
    text = f"{one['title']} {one['category']} {one['address']}".replace("<b>", "").replace("</b>", "")
    return all(word in text for word in query.split())


def _unauthorized(path: str) -> Reply:
    if path.startswith("/search"):
        return Reply.of({"error": {"errorCode": "200", "message": "Authentication Failed"}}, 401)
    return Reply.of({"errorMessage": "Not Exist Client ID", "errorCode": "024"}, 401)


def _quotes_the_keys(request: Recorded) -> Reply:
    keys = " ".join(value for name, value in request.headers.items() if name.startswith("x-n"))
    return Reply.of({"errorMessage": f"Not Exist Client ID : {keys}", "errorCode": "024"}, 401)


def _items(*items: Any) -> Scenario:
    """An answer whatever is asked."""
    return says({"total": len(items), "start": 1, "display": len(items), "items": list(items)})


def _of_service(code: str, status: int) -> Scenario:
    return says({"errorMessage": f"said {code}", "errorCode": code}, status)


def _of_gateway(code: str, status: int, **headers: str) -> Scenario:
    error = {"errorCode": code, "message": f"said {code}", "details": "in detail"}
    return says({"error": error}, status, **headers)


SCENARIOS: dict[str, Scenario] = {
    "ok": listing(_BRANCH, entry(), _NEIGHBOUR),
    "nothing": listing(),
    "outside_the_district": listing(entry(address="서울특별시 성수동2가 300-1")),
    "only_others": listing(_BRANCH, _NEIGHBOUR),
    "five_others": _items(*[_BRANCH | {"title": f"달그릇국수 부산{n}점"} for n in range(5)]),
    "elsewhere": listing(
        entry(mapx="1271559000", roadAddress="서울특별시 성동구 달그릇길 12", category="카페,디저트>카페")
    ),
    "entities": listing(entry(title="<b>달그릇국수</b> &amp; 은하 &lt;본점&gt;")),
    "old_coordinates": listing(entry(mapx="311277", mapy="552097")),
    "numbers_for_texts": _items(entry(mapx=1270559000, mapy=375446000, category=7, telephone=25550142)),
    "empty_texts": _items(dict.fromkeys(entry(), "")),
    "empty_entry": _items({}),
    "nested_texts": _items({name: [value] for name, value in entry().items()}),
    "only_items": says({"items": [entry()]}),
    "no_items": says({"total": 1}),
    "null_items": says({"total": 0, "items": None}),
    "null_entry": _items(entry(), None),
    "wrong_keys": _quotes_the_keys,
    "not_registered": _of_service("024", 401),
    "no_permission": _of_service("028", 403),
    "quota": _of_service("010", 429),
    "quota_of_service": _of_service("012", 429),
    "bad_query": _of_service("011", 400),
    "bad_display": _of_service("SE02", 400),
    "system_error": _of_service("SE99", 500),
    "refused_in_200": _of_service("024", 200),
    "quota_in_200": _of_service("010", 200),
    "unknown_error_in_200": _of_service("777", 200),
    "unknown_error": _of_service("777", 418),
    "gateway_auth": _of_gateway("200", 401),
    "gateway_forbidden": _of_gateway("230", 403),
    "gateway_bad_request": _of_gateway("100", 400),
    "gateway_not_found": _of_gateway("300", 404),
    "gateway_quota": _of_gateway("400", 429),
    "gateway_throttled": _of_gateway("410", 429, Retry_After="2"),
    "gateway_endpoint": _of_gateway("500", 503),
    "too_many": says({}, 429),
}
