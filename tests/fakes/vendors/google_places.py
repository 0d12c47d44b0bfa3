"""Text search of Google's Places API (New), with the errors of google.rpc."""

from typing import Any

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says

Json = dict[str, Any]
_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_QUOTA = "type.googleapis.com/google.rpc.QuotaFailure"

PLACE: Json = {
    "id": "ChIJN1t_tDeuEmsRUsoyG83frY4",
    "displayName": {"text": "달그릇국수", "languageCode": "ko"},
    "formattedAddress": "대한민국 서울특별시 성동구 달그릇길 12 1층",
    "location": {"latitude": 37.544521, "longitude": 127.055732},
    "nationalPhoneNumber": "02-555-0142",
    "websiteUri": "https://dal.example/",
    "businessStatus": "OPERATIONAL",
    "regularOpeningHours": {
        "periods": [
            {"open": {"day": day, "hour": 11, "minute": 30}, "close": {"day": day, "hour": 21, "minute": 0}}
            for day in (2, 3, 4, 5, 6, 0)
        ]
    },
}
ELSEWHERE: Json = PLACE | {
    "id": "ChIJbranch",
    "displayName": {"text": "달그릇국수 해운대점"},
    "formattedAddress": "대한민국 부산광역시 해운대구 바다길 3",
    "location": {"latitude": 35.16, "longitude": 129.16},
    "nationalPhoneNumber": "051-555-0199",
    "websiteUri": "https://secret-of-google.example/",
}


def failed(code: int, status: str, *details: Json, message: str = "x", http: int | None = None) -> Scenario:
    """An error as Google's interfaces give it."""
    error = {"code": code, "message": message, "status": status, "details": list(details)}
    return says({"error": error}, http or code)


def places(*found: Any) -> Scenario:
    """An answer with these places, for a request that asks as it must."""

    def behave(request: Recorded) -> Reply:
        if request.method != "POST" or request.path != "/v1/places:searchText":
            return Reply(404, b"<html>Not Found</html>", "text/html")
        if not request.headers.get("x-goog-fieldmask"):
            return failed(400, "INVALID_ARGUMENT", message="FieldMask is a required parameter.")(request)
        if not request.json.get("textQuery"):
            return failed(400, "INVALID_ARGUMENT", message="Empty text_query.")(request)
        return Reply.of({"places": list(found)} if found else {})

    return behave


def _exhausted(limit: str, unit: str) -> Scenario:
    meta = {
        "service": "places.googleapis.com",
        "quota_limit": limit,
        "quota_unit": unit,
        "quota_limit_value": "100",
    }
    info = {"@type": _INFO, "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com", "metadata": meta}
    return failed(429, "RESOURCE_EXHAUSTED", info, message="Quota exceeded for quota metric 'SearchText'.")


SCENARIOS: dict[str, Scenario] = {
    "ok": places(ELSEWHERE, PLACE),
    "differs": places(
        PLACE | {"nationalPhoneNumber": "02-555-0999", "websiteUri": "https://secret-of-google.example/"}
    ),
    "empty": places(),
    "elsewhere": places(ELSEWHERE),
    "closed": places(PLACE | {"businessStatus": "CLOSED_PERMANENTLY"}),
    "suspended": places(PLACE | {"businessStatus": "CLOSED_TEMPORARILY"}),
    "reopened": places(
        PLACE | {"id": "ChIJolder", "businessStatus": "CLOSED_PERMANENTLY"},
        {key: value for key, value in PLACE.items() if key != "nationalPhoneNumber"},
    ),
    "before": places(PLACE | {"displayName": {"text": "그 전 가게"}, "businessStatus": "CLOSED_PERMANENTLY"}),
    "social": places(PLACE | {"websiteUri": "https://www.instagram.com/dalgeureut"}),
    "bare": places({key: PLACE[key] for key in ("id", "displayName", "formattedAddress")}),
    "blank": places(dict.fromkeys(PLACE, "") | {"displayName": {"text": ""}}),
    "wrong_types": places(
        PLACE
        | {
            "id": ["x"],
            "location": [37.5, 127.0],
            "nationalPhoneNumber": 25550142,
            "websiteUri": {"uri": "x"},
            "regularOpeningHours": {"periods": "always"},
            "businessStatus": 3,
        }
    ),
    "odd_id": places(PLACE | {"id": "../../x?<y>"}),
    "one_place": says({"places": PLACE}),
    "texts": says({"places": ["x"]}),
    "bad_key": failed(
        400, "INVALID_ARGUMENT", {"@type": _INFO, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
    ),
    "bad_mask": failed(400, "INVALID_ARGUMENT", message="Error expanding 'fields' parameter."),
    "denied": failed(403, "PERMISSION_DENIED", {"@type": _INFO, "reason": "SERVICE_DISABLED"}),
    "unauthenticated": failed(401, "UNAUTHENTICATED"),
    "minute": _exhausted("SearchTextRequestPerMinutePerProject", "1/min/{project}"),
    "minute_after": says({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, 429, Retry_After="7"),
    "day": _exhausted("SearchTextRequestPerDayPerProject", "1/d/{project}"),
    "day_violated": failed(
        429, "RESOURCE_EXHAUSTED", {"@type": _QUOTA, "violations": [{"description": "Requests per day"}]}
    ),
    "internal": failed(500, "INTERNAL"),
    "overloaded": failed(503, "UNAVAILABLE"),
    "good_denied": failed(403, "PERMISSION_DENIED", http=200),
    "good_internal": failed(500, "INTERNAL", http=200),
    "quoting": lambda request: failed(
        403, "PERMISSION_DENIED", message=f"The key {request.headers['x-goog-api-key']} is blocked."
    )(request),
}
