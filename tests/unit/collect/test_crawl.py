"""Crawling a website on loopback: which pages are asked for, in what manner, and what a failure is called."""

from pathlib import Path
from typing import Any

import pytest

from functions.collect.website import crawl as crawling
from functions.collect.website import robots
from functions.collect.website.crawl import Crawl, Limits, crawl
from shared.http import GuardedClient, HttpFailure
from tests.fakes.raw import RawServer
from tests.fakes.website import Reply, asked, folder, page, website

AGENT = "web4ai/1.0 (+https://web4ai.example/bot)"
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "site"
TEXT = "text/plain"


async def crawled(
    server: RawServer, path: str = "/", allow: str = "", seconds: float = 30.0, **more: Any
) -> Crawl:
    async with GuardedClient(user_agent=AGENT, allow=allow or server.allow) as client:
        return await crawl(client, server.origin + path, seconds=seconds, **more)


async def test_the_first_page_and_its_telling_pages_are_read_over_one_connection_by_an_honest_agent() -> None:
    async with website(folder(EXAMPLE)) as server:
        result = await crawled(server)
        assert asked(server)[:2] == ["/robots.txt", "/"]
        assert set(asked(server)[2:]) == {"/menu.html", "/visit.html"}
        assert server.connections == 1
        assert {request.headers["user-agent"] for request in server.requests} == {AGENT}
    assert (len(result.pages), result.failure, result.own, result.status) == (3, None, True, 200)


async def test_no_more_than_ten_pages_are_read_and_each_once() -> None:
    links = "".join(f'<a href="/menu/{n}">메뉴 {n}</a>' for n in range(30))
    pages: dict[str, Reply | str] = {f"/menu/{n}": f"<p>{n}</p>{links}" for n in range(30)}
    async with website({"/": links + links, **pages}) as server:
        result = await crawled(server)
        assert len(asked(server)) == len(set(asked(server))) == Limits.pages + 1
    assert (len(result.pages), result.whole) == (10, False)


async def test_a_frameset_leads_to_its_pages_and_theirs() -> None:
    site: dict[str, Reply | str] = {
        "/": '<frameset><frame src="/body.htm"></frameset>',
        "/body.htm": '<a href="/map.htm">오시는 길</a> 어서 오세요',
        "/map.htm": "서울 강남구 테헤란로 152",
    }
    async with website(site) as server:
        result = await crawled(server)
    assert [one.url.rpartition("/")[2] for one in result.pages] == ["", "body.htm", "map.htm"]


async def test_pages_in_korean_encodings_are_read() -> None:
    korean = '<meta charset="euc-kr"><p>전화 02-6012-3456 똠</p><p>영업시간</p><p>매일 11:00~21:00</p>'
    async with website({"/": page(korean, "cp949", "text/html")}) as server:
        [read] = (await crawled(server)).pages
    assert read.told.hours is not None
    assert read.told.hours.days["sun"] == [("11:00", "21:00")]
    assert read.notes == []


async def test_robots_keep_pages_out_for_everybody_or_for_this_crawler() -> None:
    home = '<a href="/menu">메뉴</a><a href="/staff/hours">영업시간</a>'
    site: dict[str, Reply | str] = {"/": home, "/menu": "a", "/staff/hours": "b"}
    rules = Reply(b"\xef\xbb\xbfUser-agent: *\nDisallow: /staff/\n", TEXT)
    async with website({**site, "/robots.txt": rules}) as server:
        result = await crawled(server)
        assert "/staff/hours" not in asked(server)
    assert result.failure is not None
    assert (len(result.pages), result.failure.code, result.failure.retryable) == (2, "robots", False)
    rules = Reply(b"User-agent: web4ai\nDisallow: /\n\nUser-agent: *\nAllow: /\n", TEXT)
    async with website({**site, "/robots.txt": rules}) as server:
        result = await crawled(server)
        assert asked(server) == ["/robots.txt"]
    assert (result.pages, result.failure and result.failure.code) == ([], "robots")


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "410 Gone"])
async def test_robots_that_are_missing_allow_everything(status: str) -> None:
    async with website({"/": "x", "/robots.txt": Reply(status=status)}) as server:
        assert len((await crawled(server)).pages) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status="503 Busy"),
        Reply(status="429 Slow", headers=(("retry-after", "600"),)),
        Reply(b"x", TEXT, headers=(("content-encoding", "br"),)),
    ],
)
async def test_robots_that_cannot_be_read_keep_the_whole_site_out(reply: Reply) -> None:
    async with website({"/": "x", "/robots.txt": reply}) as server:
        result = await crawled(server)
        assert asked(server) == ["/robots.txt"]
    assert result.failure is not None
    assert (result.failure.code, result.failure.retryable) == ("robots", reply.status != "200 OK")


async def test_the_first_half_mebibyte_of_robots_is_read_and_half_a_rule_is_none() -> None:
    beginning = b"User-agent: *\nDisallow: /menu\n#"
    half = b"\nDisallow: /ho"
    filling = b"-" * (robots.ROBOTS_BYTES - len(beginning) - len(half))
    rules = beginning + filling + half + b"use-of-the-staff\nDisallow: /\n"
    home = '<a href="/menu">메뉴</a><a href="/hours">영업시간</a>'
    site: dict[str, Reply | str] = {"/": home, "/hours": "x", "/robots.txt": Reply(rules, TEXT)}
    async with website(site) as server:
        result = await crawled(server)
        assert asked(server) == ["/robots.txt", "/", "/hours"]
    assert len(result.pages) == 2


async def test_robots_that_redirect_for_ever_are_no_robots() -> None:
    loop = Reply(status="302 Found", headers=(("location", "/robots.txt"),))
    async with website({"/": "x", "/robots.txt": loop}) as server:
        assert len((await crawled(server)).pages) == 1


def test_the_pause_between_requests_is_at_least_a_second_and_at_most_ten() -> None:
    delays = {
        text: robots.parse(f"User-agent: *\n{text}".encode()).delay
        for text in ("", "Crawl-delay: 3", "Crawl-delay: 600")
    }
    assert list(delays.values()) == [1.0, 3.0, 10.0]


async def test_the_pause_is_kept_but_for_the_machine_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async with website({"/": '<a href="/menu">메뉴</a>', "/menu": "x"}) as server:
        await crawled(server, pause=pause)
        assert pauses == []
        monkeypatch.setattr(crawling, "_LOOPBACK", frozenset())
        await crawled(server, pause=pause)
    assert len(pauses) == 2
    assert all(0 < pause <= 1 for pause in pauses)


async def test_an_address_that_leads_to_another_host_is_not_the_own_site_and_its_rules_are_asked_first() -> (
    None
):
    async with website({"/": "elsewhere"}) as other:
        away = Reply(status="301 Moved", headers=(("location", f"http://localhost:{other.port}/"),))
        async with website({"/": away, "/moved": away}) as server:
            result = await crawled(server, allow=f"{server.allow},localhost:{other.port}")
            assert asked(other) == ["/robots.txt", "/"]
    assert (len(result.pages), result.own) == (1, False)


async def test_a_page_that_rules_of_another_host_forbid_is_not_fetched_after_a_redirect() -> None:
    rules = Reply(b"User-agent: *\nDisallow: /\n", TEXT)
    async with website({"/": "elsewhere", "/robots.txt": rules}) as other:
        away = Reply(status="301 Moved", headers=(("location", f"http://localhost:{other.port}/"),))
        async with website({"/": away}) as server:
            result = await crawled(server, allow=f"{server.allow},localhost:{other.port}")
            assert asked(other) == ["/robots.txt"]
    assert result.failure is not None
    assert (result.pages, result.failure.code) == ([], "robots")


async def test_a_page_of_the_site_that_leads_elsewhere_is_left_out() -> None:
    async with website({"/": "elsewhere"}) as other:
        away = Reply(status="301 Moved", headers=(("location", f"http://localhost:{other.port}/"),))
        async with website({"/": '<a href="/menu">메뉴</a>', "/menu": away}) as server:
            result = await crawled(server, allow=f"{server.allow},localhost:{other.port}")
    assert (len(result.pages), result.own, result.notes) == (1, True, ["another_site"])


async def test_a_site_that_leads_to_a_social_page_is_not_followed_there() -> None:
    away = Reply(status="302 Found", headers=(("location", "https://www.instagram.com/ongi/"),))
    async with website({"/": away}) as server:
        result = await crawled(server)
    assert (result.pages, result.failure) == ([], None)
    assert result.notes == ["another_site", "not_an_own_website"]


@pytest.mark.parametrize(
    "home",
    [
        "<script>location.href='/main/';</script>",
        '<script language="javascript">\n<!--\nwindow.location.replace("/main/");\n//-->\n</script>',
        '<script>document.location = "/main/"</script><noscript>자바스크립트를 켜세요</noscript>',
        '<meta http-equiv="refresh" content="0;url=/main/">',
        '<frameset rows="100%"><frame src="/main/"><noframes>프레임을 쓰지 못합니다</noframes></frameset>',
    ],
)
async def test_a_page_that_only_sends_its_visitors_on_is_followed(home: str) -> None:
    site = {"/": home, "/main/": '<p>어서 오세요</p><a href="/map">오시는 길</a>', "/map": "x"}
    async with website(site) as server:
        result = await crawled(server)
        assert asked(server) == ["/robots.txt", "/", "/main/", "/map"]
    assert (len(result.pages), result.own, result.whole) == (3, True, True)


async def test_an_address_whose_only_frame_is_on_another_host_is_read_there_and_is_not_the_own_site() -> None:
    async with website({"/": '<p>x</p><a href="/menu">메뉴</a>', "/menu": "y"}) as other:
        frame = f'<frameset><frame src="http://localhost:{other.port}/"></frameset>'
        async with website({"/": frame}) as server:
            result = await crawled(server, allow=f"{server.allow},localhost:{other.port}")
    assert (len(result.pages), result.own) == (3, False)


@pytest.mark.parametrize("path", ["/", "/menu"])
async def test_a_short_wait_that_a_server_asks_for_is_kept_once(path: str) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    home = Reply('<a href="/menu">메뉴</a><a href="/hours">영업시간</a>'.encode())
    site = {"/": home, "/menu": Reply(b"x"), "/hours": Reply(b"y")}
    busy = Reply(status="503 Busy", headers=(("retry-after", "7"),))
    async with website(_Busy(site, path, busy, times=1)) as server:
        result = await crawled(server, pause=pause)
    assert (pauses, len(result.pages), result.failure) == ([7.0], 3, None)
    async with website(_Busy(site, path, busy, times=2)) as server:
        result = await crawled(server, pause=pause)
    assert result.failure is not None
    assert (pauses, result.failure.status) == ([7.0, 7.0], 503)


class _Busy(dict[str, Any]):
    """A site one of whose paths is busy some times before it answers."""

    def __init__(self, site: dict[str, Any], path: str, busy: Reply, times: int) -> None:
        super().__init__(site)
        self._path, self._busy, self._left = path, busy, times

    def get(self, path: str, default: Any = None) -> Any:
        if path == self._path and self._left:
            self._left -= 1
            return self._busy
        return super().get(path, default)


@pytest.mark.parametrize(
    ("home", "code", "retryable"),
    [
        (Reply(status="404 Not Found"), "http_status", False),
        (Reply(status="500 Oops"), "http_status", True),
        (Reply(status="429 Slow", headers=(("retry-after", "60"),)), "rate_limited", True),
        (Reply(b"%PDF", "application/pdf"), "bad_content_type", False),
        (Reply(b"x" * 3_100_000), "too_large", False),
        (Reply(b"x", headers=(("content-encoding", "br"),)), "bad_encoding", False),
        (Reply(status="302 Found", headers=(("location", "http://10.0.0.1/"),)), "blocked_address", False),
        (Reply(status="302 Found", headers=(("location", "ftp://x/"),)), "bad_url", False),
        (Reply(status="302 Found", headers=(("location", "/"),)), "too_many_redirects", False),
    ],
)
async def test_a_first_page_that_fails_is_a_failure_by_name(home: Reply, code: str, retryable: bool) -> None:
    async with website({"/": home}) as server:
        result = await crawled(server)
    assert result.pages == []
    assert isinstance(result.failure, HttpFailure)
    assert (result.failure.code, result.failure.retryable) == (code, retryable)


async def test_a_server_that_asks_for_patience_is_not_asked_on_and_other_failures_cost_one_page() -> None:
    home = '<a href="/menu">메뉴</a><a href="/hours">영업시간</a><a href="/about">소개</a>'
    site: dict[str, Any] = {"/": home, "/menu": Reply(status="500 Oops"), "/hours": "x", "/about": "y"}
    async with website(site) as server:
        result = await crawled(server)
        assert (len(result.pages), len(asked(server))) == (3, 5)
    site["/menu"] = Reply(status="429 Slow")
    async with website(site) as server:
        result = await crawled(server)
        assert asked(server)[-1] == "/menu"
    assert result.failure is not None
    assert (result.failure.code, result.status) == ("rate_limited", 429)


async def test_a_site_that_is_not_there_is_a_connection_failure() -> None:
    async with website({}) as server:
        pass
    result = await crawled(server)
    assert result.failure is not None
    assert (result.failure.code, result.failure.retryable) == ("connection", True)


async def test_a_crawl_without_time_reads_nothing_and_says_so() -> None:
    async with website({"/": "x"}) as server:
        result = await crawled(server, seconds=0.5)
        assert asked(server) == []
    assert (result.pages, result.notes) == ([], ["out_of_time"])
