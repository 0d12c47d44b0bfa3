"""What is asked of answer engines: by category and area, as a stranger would, and by name, as a guest would."""

from dataclasses import dataclass

from shared.places.korean import josa
from shared.places.labels import category_label
from shared.places.models import ConfirmedFacts, Locale, Place
from shared.places.normalise.regions import PROVINCES

# Raised with every change of a wording below: answers to other words are not compared.
QUESTION_VERSION = "v1"
PROVINCES_EN = {
    "서울특별시": "Seoul",
    "부산광역시": "Busan",
    "대구광역시": "Daegu",
    "인천광역시": "Incheon",
    "광주광역시": "Gwangju",
    "대전광역시": "Daejeon",
    "울산광역시": "Ulsan",
    "세종특별자치시": "Sejong",
    "경기도": "Gyeonggi-do",
    "강원특별자치도": "Gangwon-do",
    "충청북도": "Chungcheongbuk-do",
    "충청남도": "Chungcheongnam-do",
    "전북특별자치도": "Jeollabuk-do",
    "전라남도": "Jeollanam-do",
    "경상북도": "Gyeongsangbuk-do",
    "경상남도": "Gyeongsangnam-do",
    "제주특별자치도": "Jeju",
}


@dataclass(frozen=True)
class AskedQuestion:
    """One question in one language."""

    locale: Locale
    text: str
    by_name: bool  # whether the question names the place


def questions(place: Place, facts: ConfirmedFacts) -> list[AskedQuestion]:
    """The questions of this version that can be asked with what is confirmed."""
    name = str(facts.value("name") or place.name)
    name_en = str(facts.value("name_en") or name)
    area = _area(facts)
    area_en = None if area is None else _area_en(area)
    category = facts.value("category")
    asked = []
    if area is not None and category is not None:
        kind, kind_en = category_label(category, "ko"), category_label(category, "en").lower()
        asked.append(
            AskedQuestion("ko", f"{area}에서 갈 만한 {josa(kind, '을/를')} 추천해 주세요.", by_name=False)
        )
        asked.append(
            AskedQuestion(
                "en", f"Can you recommend places in {area_en}, Korea, of this kind: {kind_en}?", by_name=False
            )
        )
    where, where_en = (f"{area} " if area else "", f" in {area_en}, Korea" if area else ", Korea")
    asked.append(
        AskedQuestion("ko", f"{where}{name}의 영업시간과 전화번호, 위치를 알려 주세요.", by_name=True)
    )
    asked.append(
        AskedQuestion(
            "en",
            f"What are the opening hours, telephone number and location of {name_en}{where_en}?",
            by_name=True,
        )
    )
    return asked


def _area(facts: ConfirmedFacts) -> str | None:
    """Province and district of the confirmed address; None where they cannot be told."""
    address = facts.value("road_address") or facts.value("lot_address")
    tokens = str(address or "").split()
    if not tokens or tokens[0] not in PROVINCES:
        return None
    units = [token for token in tokens[1:3] if len(token) <= 7 and token.endswith(("시", "군", "구"))]
    return " ".join([tokens[0], *units])


def _area_en(area: str) -> str:
    """The province in English, the district as it is written: engines read both."""
    province, _, rest = area.partition(" ")
    return f"{rest}, {PROVINCES_EN[province]}" if rest else PROVINCES_EN[province]
