"""The tax office's status interface behind odcloud."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says
from tests.fakes.vendors.gateway import REFUSALS, quoting_the_key

UNREGISTERED = "국세청에 등록되지 않은 사업자등록번호입니다."


def entry(
    number: str, code: str, words: str, tax: str = "부가가치세 일반과세자", **more: Any
) -> dict[str, Any]:
    """What the register says of one number."""
    return {
        "b_no": number,
        "b_stt": words,
        "b_stt_cd": code,
        "tax_type": tax,
        "tax_type_cd": "01" if code else "",
        "end_dt": "20260930" if code == "03" else "",
        "utcc_yn": "N",
    } | more


def _registered(code: str, words: str, tax: str = "부가가치세 일반과세자", **more: Any) -> Scenario:
    def behave(request: Recorded) -> Reply:
        parts = urlsplit(request.path)
        if request.method != "POST" or parts.path != "/status" or "serviceKey" not in parse_qs(parts.query):
            return Reply.of({"status_code": "HTTP_ERROR"}, 404)
        if set(request.json) != {"b_no"}:
            return Reply.of({"status_code": "BAD_JSON_REQUEST"}, 400)
        data = [entry(number, code, words, tax, **more) for number in request.json["b_no"]]
        matched = {"match_cnt": len(data)} if code else {}
        return Reply.of({"request_cnt": len(data), "status_code": "OK", "data": data} | matched)

    return behave


SCENARIOS: dict[str, Scenario] = REFUSALS | {
    "ok": _registered("01", "계속사업자"),
    "suspended": _registered("02", "휴업자"),
    "closed": _registered("03", "폐업자"),
    "unregistered": _registered("", "", UNREGISTERED),
    "alone": lambda request: Reply.of(
        {"status_code": "OK", "data": entry(request.json["b_no"][0], "01", "계속사업자")}
    ),
    "another": says({"status_code": "OK", "data": [entry("1048136565", "03", "폐업자")]}),
    "none": says({"status_code": "OK", "data": []}),
    "no_data": says({"status_code": "OK", "request_cnt": 1}),
    "unknown_status": _registered("07", "합병"),
    "blank": _registered("", "", ""),
    "number_for_text": _registered("01", "계속사업자", b_stt_cd=1),
    "texts": says({"status_code": "OK", "data": ["1248100998"]}),
    "malformed": says({"status_code": "REQUEST_DATA_MALFORMED"}, 411),
    "too_many": says({"status_code": "TOO_LARGE_REQUEST"}, 413),
    "internal": says({"status_code": "INTERNAL_ERROR"}, 500),
    "internal_good": says({"status_code": "INTERNAL_ERROR"}),
    "quoting": quoting_the_key("a+b/c=="),
}
