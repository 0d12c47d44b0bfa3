"""The Korean page from confirmed facts alone."""

from functions.copy.opening import business, opening_text
from functions.copy.place_facts import PlaceFacts
from shared.places.korean import josa
from shared.places.labels import category_label
from shared.places.models import MenuItem, PageCopy, Question, Section
from shared.places.normalise import AMENITIES

MOST_ITEMS = 12  # of a menu in a sentence; the page's own table has all

# Categories that name what is done or who does it, not a place: "에 있는 세무·회계입니다" is no Korean.
_TRADES = (
    "서비스",
    "중개",
    "보관",
    "판금·도장",
    "렌터카",
    "회계",
    "·미용",
    "시공",
    "공사",
    "설비",
    "수리",
    "변호사",
    "공증인",
    "의사",
    "보건",
    "상담",
    "의료",
    "진료",
    "검안",
    "치료",
)

# What a guest can do, and what there is: "주차와 예약이 가능합니다. 와이파이가 있습니다."
_POSSIBLE = {
    "parking": "주차",
    "valet_parking": "발레파킹",
    "reservation": "예약",
    "takeout": "포장",
    "delivery": "배달",
    "drive_through": "드라이브스루 이용",
    "pets_allowed": "반려동물 동반",
    "wheelchair_accessible": "휠체어 이용",
    "card_payment": "카드 결제",
    "mobile_payment": "간편결제",
    "ev_charging": "전기차 충전",
}

# Amenities a guest asks about: question and answer.
_ASKED = {
    "parking": ("주차할 수 있나요?", "네, 주차할 수 있습니다."),
    "takeout": ("포장되나요?", "네, 포장할 수 있습니다."),
    "delivery": ("배달되나요?", "네, 배달합니다."),
    "reservation": ("예약할 수 있나요?", "네, 예약할 수 있습니다."),
    "pets_allowed": ("반려동물과 함께 갈 수 있나요?", "네, 반려동물과 함께 이용할 수 있습니다."),
    "wheelchair_accessible": ("휠체어로 이용할 수 있나요?", "네, 휠체어로 이용할 수 있습니다."),
}


def korean_page(facts: PlaceFacts) -> PageCopy:
    """Title, summary, sections and questions; only what is confirmed, in the order a guest asks for it."""
    return PageCopy(
        title=_title(facts),
        summary=facts.summary or _intro(facts),
        sections=_sections(facts),
        faq=_faq(facts),
    )


def _name(facts: PlaceFacts) -> str:
    return facts.name or "이곳"


def _title(facts: PlaceFacts) -> str:
    what = " ".join(part for part in (facts.area, _category(facts)) if part)
    return f"{_name(facts)} | {what}" if what else _name(facts)


def _category(facts: PlaceFacts) -> str | None:
    return None if facts.category is None else category_label(facts.category, "ko")


def _intro(facts: PlaceFacts) -> str:
    name, category = josa(_name(facts), "은/는"), _category(facts)
    if category and category.endswith(_TRADES):
        where = f"{name} {facts.address}에 있습니다. " if facts.address else ""
        return f"{where}{'업종은' if where else f'{_name(facts)}의 업종은'} {category}입니다."
    if facts.address and category:
        return f"{name} {facts.address}에 있는 {category}입니다."
    if category:
        return f"{name} {category}입니다."
    if facts.address:
        return f"{name} {facts.address}에 있습니다."
    return f"{_name(facts)}에 대해 확인된 정보가 아직 많지 않습니다."


def _sections(facts: PlaceFacts) -> list[Section]:
    about = _about(facts)
    visiting = [
        *([f"주소는 {facts.road_address}입니다."] if facts.road_address else []),
        *([f"지번 주소는 {facts.lot_address}입니다."] if facts.lot_address else []),
        *([f"전화번호는 {facts.phone}입니다."] if facts.phone else []),
    ]
    hours = list(opening_text(facts.hours, "ko", facts.trade).all) if facts.hours else []
    candidates = [
        (f"{_name(facts)} 소개", about, ["summary", "category", "menu", "price_range", "amenities"]),
        ("찾아가는 길과 문의", visiting, ["road_address", "lot_address", "phone"]),
        (f"{business(facts.trade)}시간 안내", hours, ["hours"]),
        ("메뉴와 가격 안내", _menu(facts), ["menu"]),
    ]
    return [
        Section(heading=heading, text=" ".join(sentences), facts=facts.known(keys))
        for heading, sentences, keys in candidates
        if sentences
    ]


def _about(facts: PlaceFacts) -> list[str]:
    sentences = [_intro(facts)] if facts.summary and facts.enough_to_write_about else []
    if facts.menu:
        names = [item.name for item in facts.menu]
        if len(names) > 3:
            sentences.append(f"메뉴는 {', '.join(names[:3])} 등 {len(names)}가지입니다.")
        else:
            sentences.append(f"메뉴는 {', '.join(names)}입니다.")
    if facts.price_range:
        sentences.append(f"가격대는 {facts.price_range}입니다.")
    possible = [_POSSIBLE[code] for code in facts.amenities if code in _POSSIBLE]
    if possible:
        sentences.append(f"{josa(_listed(possible), '이/가')} 가능합니다.")
    there = [AMENITIES[code]["ko"] for code in facts.amenities if code in AMENITIES and code not in _POSSIBLE]
    if there:
        sentences.append(f"{josa(_listed(there), '이/가')} 있습니다.")
    return sentences


def _listed(words: list[str]) -> str:
    return f"{josa(words[0], '과/와')} {words[1]}" if len(words) == 2 else ", ".join(words)


def _menu(facts: PlaceFacts) -> list[str]:
    priced = [item for item in facts.menu if item.price_krw is not None]
    asked = [item for item in facts.menu if item.price_krw is None][:MOST_ITEMS]
    sentences = []
    if priced:
        rest = " 등" if len(priced) > MOST_ITEMS else ""
        sentences.append(f"{', '.join(_priced(item) for item in priced[:MOST_ITEMS])}{rest}입니다.")
    if asked:
        names = _listed([item.name for item in asked])
        sentences.append(f"{josa(names, '은/는')} 가격을 문의해 주세요.")
    return sentences


def _priced(item: MenuItem) -> str:
    return f"{item.name} {item.price_krw:,}원"


def _faq(facts: PlaceFacts) -> list[Question]:
    asked: list[tuple[str, str]] = []
    if facts.address:
        asked.append((f"{josa(_name(facts), '은/는')} 어디에 있나요?", f"{facts.address}에 있습니다."))
    if facts.hours:
        said = opening_text(facts.hours, "ko", facts.trade)
        if said.open:
            asked.append((f"{business(facts.trade)}시간은 어떻게 되나요?", " ".join(said.open)))
        if said.closed:
            asked.append(("쉬는 날은 언제인가요?", " ".join(said.closed)))
    if facts.phone:
        asked.append(("전화번호는 무엇인가요?", f"{facts.phone}입니다."))
    if facts.price_range:
        asked.append(("가격대는 어떻게 되나요?", f"{facts.price_range}입니다."))
    asked += [_ASKED[code] for code in facts.amenities if code in _ASKED]
    return [Question(question=question, answer=answer) for question, answer in asked]
