"""Addresses of requests are parsed strictly, also relative to the page they stand on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.http.failures import HttpFailure
from shared.http.guard import Target, parse_allowance, parse_target

LOCAL = frozenset([("127.0.0.1", 8123)])


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://Example.com", Target("http", "example.com", 80, "/")),
        ("HTTPS://example.com./a?b=c#d", Target("https", "example.com", 443, "/a?b=c")),
        ("http://example.com:443/", Target("http", "example.com", 443, "/")),
        ("http://한글.kr/메뉴 판", Target("http", "xn--bj0bj06e.kr", 80, "/%EB%A9%94%EB%89%B4%20%ED%8C%90")),
        ("http://example.com?q=가", Target("http", "example.com", 80, "/?q=%EA%B0%80")),
        ("http://[2606:4700::1111]/x", Target("http", "2606:4700::1111", 80, "/x")),
        ("http://１２７.0.0.1/", Target("http", "127.0.0.1", 80, "/")),
        ("http://127.0.0.1:8123/", Target("http", "127.0.0.1", 8123, "/")),
        ("http://my_shop.example.com/", Target("http", "my_shop.example.com", 80, "/")),
    ],
)
def test_an_address_is_put_in_one_form(url: str, target: Target) -> None:
    assert parse_target(url, LOCAL) == target
    assert parse_target(target.url, LOCAL) == target


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "/only/a/path",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "http://",
        "http:///path",
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://example.com@127.0.0.1/",
        "http://example.com:22/",
        "http://example.com:8080/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://127.0.0.1:8124/",
        "http://localhost:8123/",
        "http://example.com\\@127.0.0.1/",
        "http://exa\x00mple.com/",
        "http://exa mple.com/",
        "http://example.com/\r\nHost: other",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://" + "a" * 3000,
        "http://-\u200b.kr/\x7f",
        "http://example..com/",
        "http://example.com/\ud83d",
        "http://example.com/?q=\udc00",
    ],
)
def test_what_leads_astray_is_a_bad_url(url: str) -> None:
    with pytest.raises(HttpFailure) as failure:
        parse_target(url, LOCAL)
    assert failure.value.code == "bad_url"
    assert not failure.value.retryable
    assert "secret" not in str(failure.value)


def test_a_relative_address_is_taken_from_its_page() -> None:
    assert parse_target("../b?c=1", base="https://example.com/a/d").url == "https://example.com/b?c=1"
    assert parse_target("//other.com/x", base="https://example.com/").url == "https://other.com/x"


def test_exceptions_are_exact_pairs() -> None:
    assert parse_allowance(" 127.0.0.1:8123, [::1]:80 ,") == {("127.0.0.1", 8123), ("::1", 80)}
    assert parse_allowance("") == frozenset()
    for wrong in ("127.0.0.1", ":80", "a:b", "a:70000", "http://a:80/"):
        with pytest.raises(ValueError, match="CRAWL_ALLOW"):
            parse_allowance(wrong)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_target_or_a_bad_url(text: str) -> None:
    try:
        target = parse_target("http://" + text)
    except HttpFailure as failure:
        code = failure.code
    else:
        code = "bad_url" if target.port not in (80, 443) else "fine"
        assert code == "fine"
        assert target.url.isascii()
    assert code in ("fine", "bad_url")
