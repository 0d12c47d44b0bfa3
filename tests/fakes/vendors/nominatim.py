"""Nominatim's search in `jsonv2`, over the places of one invented street."""

from typing import Any

from tests.fakes.http_server import Reply
from tests.fakes.vendors import Scenario, says, sends

_PAGE = b"<html><head><title>Access blocked</title></head><body><h1>Access blocked</h1></body></html>"


def place(**changed: Any) -> dict[str, Any]:
    """A noodle house with every tag that is read; a part that is None is left out."""
    whole: dict[str, Any] = {
        "place_id": 219000001,
        "licence": "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
        "osm_type": "node",
        "osm_id": 4711,
        "lat": "37.5440000",
        "lon": "127.0560000",
        "category": "amenity",
        "type": "restaurant",
        "place_rank": 30,
        "importance": 0.00008,
        "addresstype": "amenity",
        "name": "달그릇국수",
        "display_name": "달그릇국수, 12, 달그릇길, 성수동, 성동구, 서울특별시, 04799, 대한민국",
        "address": {
            "amenity": "달그릇국수",
            "house_number": "12",
            "road": "달그릇길",
            "quarter": "성수2가제1동",
            "borough": "성동구",
            "city": "서울특별시",
            "ISO3166-2-lvl4": "KR-11",
            "postcode": "04799",
            "country": "대한민국",
            "country_code": "kr",
        },
        "extratags": {
            "phone": "+82-2-555-0143;+82-2-555-0142",
            "website": "https://dalgeureut.example",
            "opening_hours": "Tu-Su 11:00-21:00; Mo off",
            "contact:instagram": "@dal.geureut",
            "contact:facebook": "https://www.facebook.com/dalgeureut/",
            "cuisine": "noodle",
            "wheelchair": "yes",
            "internet_access": "wlan",
            "outdoor_seating": "no",
            "takeaway": "yes",
            "delivery": "limited",
        },
        "namedetails": {"name": "달그릇국수", "name:ko": "달그릇국수", "name:en": "Dalgeureut Noodles"},
        "boundingbox": ["37.5439", "37.5441", "127.0559", "127.0561"],
    }
    return {key: value for key, value in (whole | changed).items() if value is not None}


_BRANCH = place(
    osm_id=4712,
    name="달그릇국수 판교점",
    lat="37.3950000",
    lon="127.1110000",
    address={
        "province": "경기도",
        "city": "성남시",
        "borough": "분당구",
        "road": "판교로",
        "house_number": "7",
    },
    extratags={"phone": "+82-31-555-0100"},
    namedetails={"name": "달그릇국수 판교점"},
)
_STREET = place(
    osm_type="way", osm_id=9, category="highway", type="residential", name="달그릇길", extratags={}
)
_ENDED = place(osm_id=4713, extratags={"disused": "yes", "phone": "+82-2-555-0142"})
_PIN_ALONE = place(osm_id=4714, address={}, extratags={"disused": "yes"})
_ODD: list[Any] = [
    "text",
    None,
    {},
    place(osm_type="star"),
    place(osm_id="4711; drop"),
    place(osm_id=True, osm_type=["node"]),
    place(
        lat=[37],
        lon=None,
        extratags=["phone"],
        namedetails=None,
        address={"road": 5, "house_number": ["12"], "city": None},
        type="restaurant",
    ),
    place(
        extratags={"phone": 25550142, "opening_hours": {"mo": 1}, "website": None}, namedetails={"name:en": 1}
    ),
]
_EMPTY = place(
    extratags=dict.fromkeys(("phone", "website", "opening_hours", "contact:instagram"), ""),
    namedetails={"name": "달그릇국수", "name:en": ""},
)
_UNREAD = place(
    type="theatre",
    address={"road": "달그릇길", "house_number": "12"},
    extratags={
        "phone": "ask inside",
        "contact:phone": "02-555-0142",
        "website": "https://instagram.com/dalgeureut",
        "contact:website": "javascript:alert(1)",
        "opening_hours": "Jun-Aug Mo-Su 11:00-21:00",
        "contact:instagram": "https://www.instagram.com/dalgeureut",
        "addr:full": "서울 성동구 달그릇길 12, 1층",
    },
)

SCENARIOS: dict[str, Scenario] = {
    "ok": says([_STREET, _BRANCH, place()]),
    "nothing": says([]),
    "streets_alone": says([_STREET]),
    "branches_alone": says([_STREET, _BRANCH]),
    "ended": says([_BRANCH, _ENDED]),
    "ended_by_its_pin": says([_PIN_ALONE]),
    "ended_and_followed": says([_ENDED, place()]),
    "odd_types": says(_ODD),
    "empty_texts": says([_EMPTY]),
    "unread": says([_UNREAD]),
    "half": says(
        [{key: place()[key] for key in ("osm_type", "osm_id", "lat", "lon", "category", "type", "name")}]
    ),
    "not_a_list": says(place()),
    "blocked": sends(Reply(403, _PAGE, "text/html")),
    "throttled": sends(Reply(429, b"Too many requests", "text/plain")),
    "throttled_for_seconds": says({"error": "slow down"}, 429, Retry_After="17"),
    "refused": says({"error": {"code": 400, "message": "Nothing to search for."}}, 400),
    "refused_in_200": says({"error": {"code": 400, "message": "Parameter 'countrycodes' is wrong."}}),
    "broken_inside": says({"error": {"code": 500, "message": "Database down."}}, 500),
}
