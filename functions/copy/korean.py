"""The Korean page from confirmed facts alone."""

from functions.copy.opening import opening_text
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


def _title(facts: PlaceFacts) -> str:
    what = " ".join(part for part in (facts.area, _category(facts)) if part)
    return f"{facts.name} | {what}" if what else facts.name


def _category(facts: PlaceFacts) -> str | None:
    return None if facts.category is None else category_label(facts.category, "ko")


def _intro(facts: PlaceFacts) -> str:
    name, category = josa(facts.name, "은/는"), _category(facts)
    if category and category.endswith(_TRADES):
        where = f"{name} {facts.address}에 있습니다. " if facts.address else ""
        return f"{where}{'업종은' if where else f'{facts.name}의 업종은'} {category}입니다."
    if facts.address and category:
        return f"{name} {facts.address}에 있는 {category}입니다."
    if category:
        return f"{name} {category}입니다."
    if facts.address:
        return f"{name} {facts.address}에 있습니다."
    return f"{facts.name}에 대해 확인된 정보가 아직 많지 않습니다."


def _sections(facts: PlaceFacts) -> list[Section]:
    about = _about(facts)
    visiting = [
        *([f"주소는 {facts.road_address}입니다."] if facts.road_address else []),
        *([f"지번 주소는 {facts.lot_address}입니다."] if facts.lot_address else []),
        *([f"전화번호는 {facts.phone}입니다."] if facts.phone else []),
    ]
    hours = list(opening_text(facts.hours, "ko").all) if facts.hours else []
    candidates = [
        (f"{facts.name} 소개", about, ["summary", "category", "menu", "price_range", "amenities"]),
        ("찾아가는 길과 문의", visiting, ["road_address", "lot_address", "phone"]),
        ("영업시간 안내", hours, ["hours"]),
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
    amenities = [AMENITIES[code]["ko"] for code in facts.amenities if code in AMENITIES]
    if amenities:
        sentences.append(f"이용 안내: {', '.join(amenities)}.")
    return sentences


def _menu(facts: PlaceFacts) -> list[str]:
    priced = [item for item in facts.menu if item.price_krw is not None][:MOST_ITEMS]
    asked = [item for item in facts.menu if item.price_krw is None][:MOST_ITEMS]
    sentences = []
    if priced:
        sentences.append(f"{', '.join(_priced(item) for item in priced)}입니다.")
    if asked:
        names = ", ".join(item.name for item in asked)
        sentences.append(f"{josa(names, '은/는')} 가격을 문의해 주세요.")
    return sentences


def _priced(item: MenuItem) -> str:
    return f"{item.name} {item.price_krw:,}원"


def _faq(facts: PlaceFacts) -> list[Question]:
    asked: list[tuple[str, str]] = []
    if facts.address:
        asked.append((f"{josa(facts.name, '은/는')} 어디에 있나요?", f"{facts.address}에 있습니다."))
    if facts.hours:
        said = opening_text(facts.hours, "ko")
        if said.open:
            asked.append(("영업시간은 어떻게 되나요?", " ".join(said.open)))
        if said.closed:
            asked.append(("쉬는 날은 언제인가요?", " ".join(said.closed)))
    if facts.phone:
        asked.append(("전화번호는 무엇인가요?", f"{facts.phone}입니다."))
    if facts.price_range:
        asked.append(("가격대는 어떻게 되나요?", f"{facts.price_range}입니다."))
    asked += [_ASKED[code] for code in facts.amenities if code in _ASKED]
    return [Question(question=question, answer=answer) for question, answer in asked]
