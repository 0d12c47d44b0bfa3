"""Overpass's interpreter, asked for JSON. It speaks HTML when it refuses."""

from typing import Any

from tests.fakes.http_server import Reply
from tests.fakes.vendors import Scenario, says, sends

_BASE = {
    "version": 0.6,
    "generator": "Overpass API 0.7.62",
    "osm3s": {
        "timestamp_osm_base": "2026-11-30T00:00:00Z",
        "copyright": "The data included in this document is from www.openstreetmap.org. ODbL.",
    },
}
_TAGS = {
    "amenity": "cafe",
    "name": "달그릇 국수",
    "name:en": "Dalgeureut Noodles",
    "cuisine": "coffee_shop",
    "contact:phone": "02-555-0142",
    "addr:city": "서울특별시",
    "addr:district": "성동구",
    "addr:street": "달그릇길",
    "addr:housenumber": "12",
    "opening_hours": "24/7",
}
_ENDED = {key: value for key, value in _TAGS.items() if key not in ("amenity", "opening_hours")}


def _page(status: int, words: str) -> Scenario:
    body = f"<?xml version='1.0'?><html><body><p><strong>Error</strong>: {words}</p></body></html>"
    return sends(Reply(status, body.encode(), "text/html; charset=utf-8"))


def _found(*elements: Any, **more: Any) -> Scenario:
    return says({**_BASE, "elements": list(elements), **more})


def _way(tags: Any, **more: Any) -> dict[str, Any]:
    return {"type": "way", "id": 815, "center": {"lat": 37.5441, "lon": 127.0561}, "tags": tags, **more}


SCENARIOS: dict[str, Scenario] = {
    "ok": _found(
        {
            "type": "node",
            "id": 1,
            "lat": 37.5449,
            "lon": 127.0569,
            "tags": {"shop": "yes", "name": "남의국수"},
        },
        _way(_TAGS),
    ),
    "nothing": _found(),
    "ended": _found(_way({**_ENDED, "disused:amenity": "restaurant"})),
    "vacant": _found(_way({**_ENDED, "shop": "vacant"})),
    "odd_types": _found(
        "text", {"type": "area", "id": 1}, _way(["tags"]), _way({**_TAGS, "name": 5}), _way(None)
    ),
    "no_elements": says(_BASE),
    "timed_out": _found(remark='runtime error: Query timed out in "query" at line 1 after 10 seconds.'),
    "half": _found(_way(_TAGS), remark="runtime error: Query run out of memory using about 512 MB of RAM."),
    "remarked": _found(_way(_TAGS), remark="runtime remark: Timeout is 10 and maxsize is 536870912."),
    "throttled": _page(429, "runtime error: open64: 0 Success. Please check /api/status for your quota."),
    "busy": _page(504, "The server is probably too busy to handle your request."),
    "blocked": _page(403, "Please identify your application."),
    "not_understood": _page(400, 'line 1: parse error: Unknown type "nodee"'),
    "page_in_200": _page(200, "runtime error: Dispatcher_Client::request_read_and_idx::timeout."),
}
