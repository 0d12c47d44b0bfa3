"""An invented place in plain data, to be bent by each test."""

import asyncio
import hashlib
import io
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from PIL import Image

from functions.build.images import DerivedPhoto, derive
from functions.build.page import page_view
from functions.build.render import render
from functions.build.view import PageView
from shared.places.models import ConfirmedFacts, Copy, Fact, Locale, PageCopy, Photo, Place, Question, Section

ORIGIN = "https://pages.example"
SLUG = "bomnal"
CHECKED = datetime(2026, 11, 2, 16, 30, tzinfo=UTC)  # 3 November in Seoul
PLACE_ID = UUID("11111111-1111-4111-8111-111111111111")

VALUES: dict[str, Any] = {
    "name": "봄날식당",
    "name_en": "Bomnal Kitchen",
    "category": "Restaurant",
    "phone": "+8225550199",
    "road_address": "경기도 수원시 팔달구 봄날로 7, 2층",
    "lot_address": "경기도 수원시 팔달구 매산로1가 99-1",
    "geo": {"lat": 37.26612, "lon": 127.0},
    "summary": "직접 담근 장으로 끓이는 찌개집입니다.",
    "business_number": "1234567891",
    "price_range": "8,000원~20,000원",
    "hours": {
        "days": {
            "mon": [],
            "tue": [["11:00", "21:00"]],
            "wed": [["11:00", "21:00"]],
            "fri": [["18:00", "02:00"]],
        },
        "breaks": {"tue": [["15:00", "17:00"]]},
        "last_order": {"fri": "01:00"},
        "closed_nth": [{"nth": [2, 4], "day": "sun"}],
        "holidays": "closed",
    },
    "menu": [
        {"name": "된장찌개", "price_krw": 9000, "note": "밥 포함"},
        {"name": "생선구이", "price_krw": None, "note": None},
    ],
    "website": "https://bomnal.example/",
    "sns": ["https://instagram.com/bomnal"],
    "amenities": ["parking", "wifi"],
    "directions": "시장 북문에서 걸어서 3분.\n건물 뒤에 주차 두 대.",
}


def fact(
    key: str, value: Any, *, channel: str = "owner", url: str | None = None, confirmed: bool = True
) -> Fact:
    return Fact(
        fact_id=uuid4(),
        place_id=PLACE_ID,
        key=key,
        value=value,
        channel=channel,
        source_url=url,
        confidence=1.0,
        confirmed=confirmed,
        confirmed_by="owner" if confirmed else None,
        rejected_at=None,
        storable=True,
        disagrees=False,
        first_seen_at=CHECKED,
        collected_at=CHECKED,
    )


def facts(values: dict[str, Any] | None = None, *, version: int = 3, **changed: Any) -> ConfirmedFacts:
    """The sample's facts, or only those given; a key of `changed` that is None is left out."""
    merged = {**(VALUES if values is None else values), **changed}
    return ConfirmedFacts(
        version=version, facts={key: fact(key, value) for key, value in merged.items() if value is not None}
    )


def place(locale: Locale = "ko", aliases: tuple[str, ...] = ("봄날",), page_version: int = 3) -> Place:
    return Place(
        place_id=PLACE_ID,
        owner_id=uuid4(),
        name="봄날식당",
        locale=locale,
        region_code=None,
        aliases=list(aliases),
        accept_website=True,
        facts_version=3,
        page_version=page_version,
        created_at=CHECKED,
        updated_at=CHECKED,
        deleted_at=None,
    )


def copy(version: int = 3) -> Copy:
    return Copy(
        content={
            "ko": PageCopy(
                title="봄날식당 · 수원 찌개집",
                summary="수원 팔달구의 찌개집입니다.",
                sections=[
                    Section(heading="장 담그는 집", text="장을 직접 담급니다.\n\n찌개는 9,000원입니다.")
                ],
                faq=[Question(question="주차할 수 있나요?", answer="건물 뒤에 두 대를 세울 수 있습니다.")],
            ),
            "en": PageCopy(title="Bomnal Kitchen", summary="A stew house in Suwon."),
        },
        mode="ai",
        facts_version=version,
    )


def jpeg(width: int = 640, height: int = 480, colour: str = "teal", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(buffer, "JPEG", **options)
    return buffer.getvalue()


def photo(number: int = 0, data: bytes = b"", *, alt: dict[str, str] | None = None, **changed: Any) -> Photo:
    values: dict[str, Any] = {
        "photo_id": uuid4(),
        "place_id": PLACE_ID,
        "channel": "owner",
        "source_url": None,
        "media_key": "key",
        "sha256": hashlib.sha256(data or str(number).encode()).hexdigest(),
        "content_type": "image/jpeg",
        "width": 640,
        "height": 480,
        "bytes": 1,
        "position": number,
        "confirmed": True,
        "problem": None,
        "measures": None,
        "vision": None if alt is None else {"alt": alt},
        "rank": number,
        "duplicate_of": None,
    }
    return Photo(**{**values, **changed})


def derived(shot: Photo, data: bytes) -> tuple[DerivedPhoto, dict[str, bytes]]:
    return asyncio.run(derive(shot.photo_id, shot.sha256 or "", data, frozenset()))


def view(
    confirmed: ConfirmedFacts | None = None,
    *,
    locale: Locale = "ko",
    text: Copy | None = None,
    photos: tuple[tuple[Photo, DerivedPhoto], ...] = (),
    of: Place | None = None,
) -> PageView:
    return page_view(
        of or place(), confirmed or facts(), text, list(photos), slug=SLUG, origin=ORIGIN, locale=locale
    )


def html(confirmed: ConfirmedFacts | None = None, **options: Any) -> str:
    confirmed = confirmed or facts()
    return render(view(confirmed, **options), confirmed).decode()
