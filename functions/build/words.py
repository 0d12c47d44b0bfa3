"""The page's own words in Korean and English: headings, labels, sentences that no fact carries."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from shared.places.labels import fact_label
from shared.places.models import Locale

SEOUL = timezone(timedelta(hours=9), "KST")  # Korea keeps one offset all year

_NTH_KO = {1: "첫째", 2: "둘째", 3: "셋째", 4: "넷째", 5: "다섯째"}
_NTH_EN = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}
_MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Words:
    """One language. Callables put values into a sentence."""

    locale: Locale
    og_locale: str
    days: tuple[str, ...]
    skip: str
    language: str  # what this language is called in itself
    languages: str
    category: str
    phone: str
    amenities: str
    website: str
    sns: str
    call: str
    open_map: str
    kakao_map: str
    google_map: str
    facts: str
    hours: str
    menu: str
    item: str
    price: str
    price_asked: str
    photos: str
    place: str
    faq: str
    sources: str
    source: str
    what: str
    checked: str
    closed: str
    not_stated: str
    break_time: str
    last_order: str
    holidays: str
    open_as_usual: str
    all_day: str
    coordinates: str
    contents: str
    channels: dict[str, str]
    channel_other: str
    sources_note: str
    next_day: Callable[[str], str]
    closed_nth: Callable[[list[int], str], str]
    date: Callable[[datetime], str]
    won: Callable[[int], str]
    checked_on: Callable[[str], str]
    photo_of: Callable[[str, int], str]


def _date_ko(moment: datetime) -> str:
    day = moment.astimezone(SEOUL)
    return f"{day.year}년 {day.month}월 {day.day}일"


def _date_en(moment: datetime) -> str:
    day = moment.astimezone(SEOUL)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _closed_nth_en(nth: list[int], day: str) -> str:
    return f"Closed every {' and '.join(_NTH_EN[n] for n in nth)} {day} of the month"


WORDS: dict[Locale, Words] = {
    "ko": Words(
        locale="ko",
        og_locale="ko_KR",
        days=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
        skip="본문으로 건너뛰기",
        language="한국어",
        languages="언어",
        category=fact_label("category", "ko"),
        phone=fact_label("phone", "ko"),
        amenities=fact_label("amenities", "ko"),
        website=fact_label("website", "ko"),
        sns=fact_label("sns", "ko"),
        call="전화하기",
        open_map="지도 보기",
        kakao_map="카카오맵에서 보기",
        google_map="Google 지도에서 보기",
        facts="기본 정보",
        hours="영업시간",
        menu="메뉴와 가격",
        item="메뉴",
        price="가격",
        price_asked="문의",
        photos="사진",
        place="오시는 길",
        faq="자주 묻는 질문",
        sources="정보 출처",
        source="출처",
        what="항목",
        checked="확인일",
        closed="휴무",
        not_stated="확인된 정보 없음",
        break_time="브레이크타임",
        last_order="라스트오더",
        holidays="공휴일",
        open_as_usual="정상 영업",
        all_day="24시간 영업",
        coordinates="좌표",
        contents="이 페이지의 내용",
        channels={
            "owner": "업주 제공",
            "website": "공식 웹사이트",
            "photo": "사진 속 메뉴판",
            "kakao": "카카오맵",
            "tourapi": "한국관광공사 TourAPI",
            "google_places": "Google 지도",
            "osm": "© OpenStreetMap 기여자",
            "perplexity": "웹 검색",
            "nts": "국세청",
        },
        channel_other="업주 확인",
        sources_note="이 페이지에는 업주가 제공했거나 확인한 정보, 그리고 업체 공식 웹사이트에 표기된 정보만 싣습니다.",
        next_day=lambda clock: f"다음 날 {clock}",
        closed_nth=lambda nth, day: f"매월 {'·'.join(_NTH_KO[n] for n in nth)} {day} 휴무",
        date=_date_ko,
        won=lambda price: f"{price:,}원",
        checked_on=lambda day: f"마지막 확인 {day}",
        photo_of=lambda name, number: f"{name} 사진 {number}",
    ),
    "en": Words(
        locale="en",
        og_locale="en_US",
        days=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        skip="Skip to content",
        language="English",
        languages="Languages",
        category=fact_label("category", "en"),
        phone=fact_label("phone", "en"),
        amenities=fact_label("amenities", "en"),
        website=fact_label("website", "en"),
        sns=fact_label("sns", "en"),
        call="Call",
        open_map="Show on map",
        kakao_map="Open in KakaoMap",
        google_map="Open in Google Maps",
        facts="At a glance",
        hours="Opening hours",
        menu="Menu and prices",
        item="Item",
        price="Price",
        price_asked="Ask",
        photos="Photos",
        place="How to find it",
        faq="Questions and answers",
        sources="Where this comes from",
        source="Source",
        what="What",
        checked="Checked",
        closed="Closed",
        not_stated="Not confirmed",
        break_time="Break",
        last_order="Last order",
        holidays="Public holidays",
        open_as_usual="open as usual",
        all_day="Open 24 hours",
        coordinates="Coordinates",
        contents="On this page",
        channels={
            "owner": "Given by the owner",
            "website": "Official website",
            "photo": "Menu board in a photo",
            "kakao": "KakaoMap",
            "tourapi": "Korea Tourism Organization, TourAPI",
            "google_places": "Google Maps",
            "osm": "© OpenStreetMap contributors",
            "perplexity": "Web search",
            "nts": "National Tax Service of Korea",
        },
        channel_other="Confirmed by the owner",
        sources_note="Only what the owner gave or confirmed, and what the business states on its own website, stands here.",
        next_day=lambda clock: f"{clock} (next day)",
        closed_nth=_closed_nth_en,
        date=_date_en,
        won=lambda price: f"₩{price:,}",
        checked_on=lambda day: f"Last checked {day}",
        photo_of=lambda name, number: f"{name}, photo {number}",
    ),
}
