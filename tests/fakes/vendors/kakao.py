"""Kakao Local's keyword search over a few businesses, with the errors that its documentation names.

The question is taken as the vendor takes it: the words of `query` against names, categories and addresses, within
`radius` metres of `x` and `y` where they are given, in pages of `size`.
"""

import json
import math
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says, sends

PATH = "/v2/local/search/keyword.json"


def place(**changes: Any) -> dict[str, Any]:
    """The place that the tests ask about, as the vendor lists it."""
    return {
        "id": "26338954",
        "place_name": "달그릇국수",
        "category_name": "음식점 > 한식 > 국수",
        "category_group_code": "FD6",
        "category_group_name": "음식점",
        "phone": "02-555-0142",
        "address_name": "서울 성동구 성수동2가 300-1",
        "road_address_name": "서울 성동구 달그릇길 12",
        "x": "127.055900000000",
        "y": "37.544600000000",
        "place_url": "http://place.map.kakao.com/26338954",
        "distance": "",
    } | changes


BRANCH = place(
    id="26338955",
    place_name="달그릇국수 부산점",
    phone="051-555-0142",
    address_name="부산 해운대구 중동 1500",
    road_address_name="부산 해운대구 달맞이길 77",
    x="129.1604",
    y="35.1587",
    place_url="http://place.map.kakao.com/26338955",
)
NAMESAKE = place(
    id="26338956",
    phone="032-555-0177",
    address_name="인천 남동구 구월동 1455",
    road_address_name="인천 남동구 예술로 138",
    x="126.7021",
    y="37.4488",
)
NEIGHBOUR = place(
    id="26338957", place_name="은하면옥", phone="02-555-0188", road_address_name="서울 성동구 달그릇길 14"
)


def listing(*entries: Any) -> Scenario:
    """A search over these businesses."""

    def behave(request: Recorded) -> Reply:
        assert urlsplit(request.path).path == PATH, f"not a path of the vendor's: {request.path}"
        if not request.headers.get("authorization", "").startswith("KakaoAK "):
            return Reply.of(
                {"errorType": "AccessDeniedError", "message": "cannot find Authorization : KakaoAK header"},
                401,
            )
        asked = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
        if "query" not in asked:
            return Reply.of({"errorType": "MissingParameter", "message": "query parameter required"}, 400)
        page, size = int(asked.get("page", 1)), int(asked.get("size", 15))
        if not (1 <= page <= 45 and 1 <= size <= 15):
            return Reply.of({"errorType": "InvalidArgument", "message": "page or size"}, 400)
        found = [entry for entry in entries if _answers(entry, asked)]
        shown = found[(page - 1) * size : page * size]
        meta = {
            "total_count": len(found),
            "pageable_count": min(len(found), 45),
            "is_end": len(found) <= page * size,
            "same_name": {"region": [], "keyword": asked["query"], "selected_region": ""},
        }
        return Reply.of({"meta": meta, "documents": shown})

    return behave


def _answers(entry: dict[str, Any], asked: dict[str, str]) -> bool:
    text = " ".join(str(entry[field]) for field in ("place_name", "category_name", "address_name"))
    if not all(word in text or word[:2] in text for word in asked["query"].split()):
        return False
    if "radius" not in asked:
        return True
    east = (float(entry["x"]) - float(asked["x"])) * math.cos(math.radians(float(asked["y"])))
    return math.hypot(east, float(entry["y"]) - float(asked["y"])) * 111_000 <= float(asked["radius"])


def _quotes_the_key(request: Recorded) -> Reply:
    key = request.headers["authorization"].removeprefix("KakaoAK ")
    return Reply.of({"errorType": "AccessDeniedError", "message": f"wrong appKey({key}) format"}, 401)


def _documents(*entries: Any) -> Scenario:
    """An answer whatever is asked."""
    return says({"meta": {"is_end": True}, "documents": list(entries)})


def _numbered(code: int, text: str, status: int) -> Scenario:
    return says({"code": code, "msg": text}, status)


def _named(kind: str, text: str, status: int, **headers: str) -> Scenario:
    return says({"errorType": kind, "message": text}, status, **headers)


_OTHERS = [
    place(id=str(n), place_name=f"달그릇국수 {n}호점", phone="", road_address_name="") for n in range(1, 41)
]
_EMPTY = dict.fromkeys(place(), "")

SCENARIOS: dict[str, Scenario] = {
    "ok": listing(BRANCH, place(), NAMESAKE, NEIGHBOUR),
    "nothing": listing(),
    "only_others": listing(BRANCH, NAMESAKE, NEIGHBOUR),
    "on_the_second_page": listing(
        *[BRANCH | {"id": str(n), "address_name": "서울 성동구"} for n in range(15)], place()
    ),
    "endless": listing(*_OTHERS),
    "moved": listing(
        place(road_address_name="서울 마포구 양화로 45", address_name="서울 성동구", x="126.91", y="37.55")
    ),
    "renamed": listing(place(place_name="은하국수", address_name="달그릇국수 서울 성동구 성수동2가 300-1")),
    "branch_in_name": listing(place(place_name="달그릇국수 본점")),
    "no_phone": listing(place(phone="")),
    "unknown_category": listing(place(category_name="서비스,산업 > 그 밖의 것")),
    "no_building_number": listing(
        place(road_address_name="서울 성동구 달그릇길", address_name="서울 성동구 성수동2가")
    ),
    "numbers_for_texts": _documents(
        place(id=26338954, x=127.0559, y=37.5446, phone=25550142, category_name=None)
    ),
    "swapped_axes": _documents(place(x="37.5446", y="127.0559")),
    "in_the_sea": _documents(place(x="0", y="0")),
    "script_for_page": _documents(place(place_url="javascript:alert(1)")),
    "control_signs": sends(
        Reply(
            body=json.dumps(
                {
                    "documents": [
                        place(place_name="달그릇\0국수\ud800", road_address_name="서울 성동구 달그릇길 12\n")
                    ]
                }
            ).encode()
        )
    ),
    "empty_texts": _documents(_EMPTY),
    "empty_entry": _documents({}),
    "nested_texts": _documents({name: [value] for name, value in place().items()}),
    "no_meta": says({"documents": [place()]}),
    "null_meta": says({"documents": [place()], "meta": None}),
    "no_documents": says({"meta": {"is_end": True}}),
    "null_documents": says({"meta": {"is_end": True}, "documents": None}),
    "documents_by_name": says({"meta": {"is_end": True}, "documents": {"0": place()}}),
    "null_entry": _documents(place(), None),
    "wrong_key": _quotes_the_key,
    "unknown_key": _numbered(-401, "InvalidTokenException", 401),
    "map_off": _named("NotAuthorizedError", "App(달그릇) disabled OPEN_MAP_AND_LOCAL service.", 403),
    "map_off_by_number": _numbered(-3, "not allowed for the app", 403),
    "no_permission": _numbered(-5, "not allowed", 403),
    "quota": _named("RequestThrottled", "API limit has been exceeded.", 429),
    "quota_by_number": _numbered(-10, "API limit has been exceeded.", 400),
    "throttled": _named("RequestThrottled", "too many", 429, Retry_After="3"),
    "too_many": says({}, 429),
    "bad_parameter": _numbered(-2, "size is more than max", 400),
    "bad_argument": _named("InvalidArgument", "size is more than max", 400),
    "internal": _numbered(-1, "internal error", 400),
    "maintenance": _numbered(-9798, "maintenance", 503),
    "platform_timeout": _numbered(-603, "timeout", 400),
    "refused_in_200": _numbered(-401, "InvalidTokenException", 200),
    "unknown_error_in_200": _numbered(-12345, "?", 200),
    "unknown_error": _numbered(-12345, "?", 418),
}
