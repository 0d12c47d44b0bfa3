"""The portal's gateway before TourAPI and the tax office: its refusals in every form it has for them."""

from tests.fakes.http_server import Reply
from tests.fakes.vendors import Scenario, says, sends

WORDS = {
    "01": "APPLICATION_ERROR",
    "02": "DB_ERROR",
    "04": "HTTP_ERROR",
    "05": "SERVICETIMEOUT_ERROR",
    "10": "INVALID_REQUEST_PARAMETER_ERROR",
    "11": "NO_MANDATORY_REQUEST_PARAMETERS_ERROR",
    "12": "NO_OPENAPI_SERVICE_ERROR",
    "20": "SERVICE_ACCESS_DENIED_ERROR",
    "21": "TEMPORARILY_DISABLE_THE_SERVICEKEY_ERROR",
    "22": "LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR",
    "23": "LIMITED_NUMBER_OF_SERVICE_REQUESTS_PER_SECOND_EXCEEDS_ERROR",
    "29": "BLACKLIST_IP_ACCESS_ERROR",
    "30": "SERVICE_KEY_IS_NOT_REGISTERED_ERROR",
    "31": "DEADLINE_HAS_EXPIRED_ERROR",
    "32": "UNREGISTERED_IP_ERROR",
    "33": "UNSIGNED_CALL_ERROR",
    "99": "UNKNOWN_ERROR",
}
_BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'


def xml(code: str, status: int = 200, before: str = "", quoting: str = "SERVICE ERROR") -> Reply:
    """A refusal as most services get it, whatever form was asked for."""
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{before}<OpenAPI_ServiceResponse>\n<cmmMsgHeader>\n'
        f"\t<errMsg>{quoting}</errMsg>\n\t<returnAuthMsg>{WORDS.get(code, '')}</returnAuthMsg>\n"
        f"\t<returnReasonCode>{code}</returnReasonCode>\n</cmmMsgHeader>\n</OpenAPI_ServiceResponse>"
    )
    return Reply(status, text.encode(), "text/xml; charset=utf-8")


def _plain(text: str, status: int = 200) -> Scenario:
    return sends(Reply(status, text.encode(), "text/plain"))


REFUSALS: dict[str, Scenario] = {
    **{f"xml_{code}": sends(xml(code)) for code in WORDS},
    "xml_403": sends(xml("30", 403)),
    "xml_429": sends(xml("23", 429)),
    "xml_unknown": sends(xml("77")),
    "xml_entities": sends(xml("22", before=_BOMB)),
    "xml_wordy": _plain("<response><errMsg>SERVICE_KEY_IS_NOT_REGISTERED_ERROR</errMsg></response>"),
    "json_22": says({"response": {"header": {"resultCode": "22", "resultMsg": WORDS["22"]}}}),
    "json_number": says({"response": {"header": {"resultCode": 30, "resultMsg": WORDS["30"]}}}),
    "json_flat": says({"responseTime": "2026-11-30T09:00:00", "resultCode": "10", "resultMsg": WORDS["10"]}),
    "json_wrapped": says({"OpenAPI_ServiceResponse": {"cmmMsgHeader": {"returnReasonCode": "31"}}}),
    "text_30": _plain(WORDS["30"]),
    "text_quota": _plain("API token quota exceeded", 429),
    "text_rate": _plain("API rate limit exceeded", 429),
    "text_unauthorized": _plain("Unauthorized", 401),
    "text_backend": _plain("Error receiving response from backend server"),
    "younger_1": says({"code": -1, "msg": "시스템 내부 오류가 발생하였습니다."}, 400),
    "younger_2": says({"code": -2, "msg": "요청하신 파라미터가 적합하지 않습니다."}, 400),
    "younger_4": says({"code": -4, "msg": "등록되지 않은 인증키 입니다."}, 400),
    "younger_4_good": says({"code": -4, "msg": "등록되지 않은 인증키 입니다."}),
    "younger_10": says({"code": -10, "msg": "트래픽 허용 횟수를 초과하였습니다."}, 400),
    "younger_401": says({"code": -401, "msg": "유효하지 않은 인증키 입니다."}, 401),
}


def quoting_the_key(key: str) -> Scenario:
    """A refusal that repeats the key it was given."""
    return lambda request: xml("30", quoting=f"{request.path} {key}")
