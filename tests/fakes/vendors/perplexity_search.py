"""Perplexity's Search API: `POST /search`, raw results, the errors of its gateway."""

from typing import Any

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says

SITE = "https://dalgeureut.example"
ADDRESS = "서울 성동구 달그릇길 12"


def result(url: str, title: str = "달그릇국수", snippet: str = f"{ADDRESS} ☎ 02-555-0142") -> dict[str, Any]:
    """A page about the noodle house, unless it says otherwise."""
    return {"title": title, "url": url, "snippet": snippet, "date": "2026-10-01", "last_updated": None}


def found(*results: Any, **more: Any) -> Scenario:
    """The results, in the order of the vendor's ranking."""
    return says({"results": list(results), "id": "c1a7", "server_time": None, **more})


def _quotes_the_key(status: int) -> Scenario:
    def behave(request: Recorded) -> Reply:
        said = f"Invalid API key provided: {request.headers.get('authorization')}"
        return Reply.of({"error": {"message": said, "type": "invalid_api_key", "code": 401}}, status)

    return behave


def _error(status: int, kind: str, message: str, **headers: str) -> Scenario:
    return says({"error": {"message": message, "type": kind, "code": status}}, status, **headers)


def _failed(kind: str, message: str) -> Scenario:
    return says({"id": "c1a7", "status": "failed", "error": {"code": kind, "type": kind, "message": message}})


_OTHERS = [
    result("https://m.blog.naver.com/visitor/223456789", "달그릇국수 다녀왔어요"),
    result("https://blog.naver.com/visitor?Redirect=Log&logNo=1", "달그릇국수 후기"),
    result("https://map.naver.com/p/search/%EB%8B%AC", "달그릇국수 - 네이버지도"),
    result("https://www.diningcode.com/profile.php?rid=1", "달그릇국수"),
    result("https://visitor.tistory.com/12", "달그릇국수"),
    result("https://www.mangoplate.com/", "달그릇국수"),
    result("https://www.sd.go.kr/food", "성동구 맛집 달그릇국수"),
    result("https://paper.example/news/articleView.html?idxno=77", "[맛집] 달그릇국수"),
    result("https://paper.example/article/20261101", "[맛집] 달그릇국수"),
    result("https://guide.example/seoul/seongdong/noodles", "성동구 국수 다섯 곳: 달그릇국수"),
    result("https://www.instagram.com/p/C0ffee/", "달그릇국수에서"),
    result("https://www.instagram.com/explore/", "달그릇국수"),
    result("https://www.facebook.com/groups/12", "달그릇국수"),
    result("https://www.youtube.com/watch?v=1", "달그릇국수 먹방"),
    result("https://203.0.113.7/", "달그릇국수"),
    result("https://user:secret@own.example/", "달그릇국수"),
    result("ftp://own.example/", "달그릇국수"),
]

SCENARIOS: dict[str, Scenario] = {
    "ok": found(
        *_OTHERS[:4],
        result(f"{SITE}/menu", "메뉴 | 달그릇 국수", "국수 9,000원. 서울 성동구 달그릇길 12 (성수동)"),
        result("https://www.instagram.com/dalgeureut/", "달그릇국수 (@dalgeureut)", "문의 02-555-0142"),
        result("https://place.map.kakao.com/1234567"),
        result("https://second.example/"),
    ),
    "carries_all": found(
        result(f"{SITE}/"),
        result("https://www.instagram.com/dalgeureut/"),
        result("https://x.com/dalgeureut", snippet="02-555-0142"),
    ),
    "nothing": found(),
    "others_alone": found(*_OTHERS),
    "namesakes": found(
        result("https://pangyo.example/", snippet="경기 성남시 분당구 판교로 7 031-555-0100"),
        result("https://name.example/", snippet="따뜻한 국수 한 그릇"),
        result("https://numbers.example/", "국수 이야기", "전화 02-555-0142"),
        result("https://next-door.example/", snippet="서울 성동구 달그릇길 121, 달그릇길 12-3"),
        result("https://other-city.example/", snippet="부산 해운대구 달그릇길 12"),
        result("https://www.instagram.com/dalgeureut.pangyo/", snippet="판교 031-555-0100"),
    ),
    "a_chains_number": found(result(f"{SITE}/", snippet="대표번호 1588-0142")),
    "our_own_page": found(result("https://pages.example/dalgeureut/"), result("https://pages.example/en")),
    "odd_types": found(
        "text",
        None,
        {},
        {"url": 5, "title": None, "snippet": ["02-555-0142"]},
        {"url": f"{SITE}/", "title": {"ko": "달그릇국수"}, "snippet": 3},
        result("", snippet=""),
        result("https://[broken/"),
    ),
    "half": found({"url": f"{SITE}/", "title": "달그릇국수 02-555-0142"}),
    "no_results": says({"id": "c1a7"}),
    "results_of_another_kind": says({"results": {"web": []}}),
    "quotes_the_key": _quotes_the_key(401),
    "quotes_the_key_in_200": _quotes_the_key(200),
    "unpaid": _error(402, "payment_required", "You have run out of credits."),
    "forbidden": _error(403, "permission_denied", "This key may not search."),
    "forbidden_for_want_of_credit": _error(403, "insufficient_credits", "Please add credits."),
    "throttled": _error(429, "rate_limit_exceeded", "Too many requests.", Retry_After="9"),
    "throttled_for_want_of_credit": _error(429, "insufficient_quota", "You exceeded your current quota."),
    "throttled_without_a_word": says({"error": {"message": "no"}}, 429),
    "forbidden_without_a_word": says({"error": {"message": "no"}}, 403),
    "bad_request": _error(400, "bad_request", "max_results must be at most 20."),
    "not_valid": says(
        {"detail": [{"loc": ["body", "country"], "msg": "unknown", "type": "value_error"}]}, 422
    ),
    "overloaded": _error(529, "overloaded", "Try again later."),
    "failed_in_200": _failed("server_error", "The search could not be run."),
    "throttled_in_200": _failed("rate_limit_exceeded", "Too many requests."),
    "unpaid_in_200": _failed("insufficient_credits", "Please add credits."),
    "forbidden_in_200": says({"error": "Invalid API key"}),
    "late_in_200": _failed("timeout", "The search took too long."),
    "invalid_in_200": _failed("invalid_request", "query must not be empty."),
}
