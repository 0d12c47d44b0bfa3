"""Telephone numbers, addresses and the registration number that stand in a page's lines."""

import re
from collections.abc import Iterable

from shared.places.keys import normalise_value
from shared.places.normalise import NormalAddress, find_phones, normalise_address, normalise_phone

_PHONE_DIGITS = 8  # of the shortest number, 1588-1234
# Lines whose numbers are accounts, or of somebody else: whoever made or hosts the page.
_NOT_OURS = re.compile(
    r"계좌|예금주|무통장|입금|(?:농협|국민|신한|우리|하나|기업|카카오)\s*(?:은행|뱅크)|호스팅|제작\s*(?:사|문의|:|：)|"
    r"designed\s+by|powered\s+by|운송장|송장|주문\s*번호|계정|여권",
    re.IGNORECASE,
)
# A number or an address in the middle of a story is of the story; one behind such a word is the shop's.
_LABELLED = re.compile(
    r"전화|연락처|문의|예약|대표|TEL|Phone|☎|📞|주소|소재지|위치|오시는|Address", re.IGNORECASE
)
_STORY = re.compile(r"(?:니다|요|죠|다|네|까)[.!?~)\s]*$")
_STORY_CHARACTERS = 30
_FORMERLY = re.compile(r"예전|옛|구\s*주소|이사|옮[겼긴기]|이전[^화]|있었")
_PROVINCE = (
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충청?[남북]|전라?[남북]|경상?[남북]|제주)"
    r"(?:특별자치시|특별자치도|특별시|광역시|[남북]도|도|시)?"
)
_ADDRESS_START = re.compile(rf"(?<![가-힣]){_PROVINCE}\s+(?=[가-힣]+(?:시|군|구|읍|면|동|로|길)(?:\s|\d))")
_ADDRESS_CHARACTERS = 120
_ADDRESS_END = re.compile(
    r"\s*(?:\||·\s|/|전화|TEL|Tel|tel|T\.|T\s*:|☎|📞|대표|예약|사업자|통신판매|팩스|FAX|Fax|우편|영업|운영|E-?mail|문의|Copyright|ⓒ|©"
    r"|지번|도로명|\(지번|\[지번|주차|\d{2,4}[-).]\d{3,4}-\d{4})"
)
# A sentence that goes on behind an address: what follows is the way there.
_SENTENCE = re.compile(
    r",?\s*\S*역\s*\d*\s*번?\s*출구|에\s+(?:위치|있|자리)|에서|\s\S*(?:으로|까지)\s|\s도보|입니다|이며|\s\S*(?:맞은편|건너편|근처|인근|옆)"
)
# "152 Teheran-ro, Gangnam-gu, Seoul"
_ROMANISED = re.compile(
    r"(?:\b\d{1,3}F,?\s+)?\b\d{1,5}(?:-\d{1,5})?,?\s+[A-Z][A-Za-z0-9 .'-]{1,40}?-?(?:daero|ro|gil)\b[A-Za-z0-9 ,.'-]{1,60}?"
    r"\b(?:Seoul|Busan|Daegu|Incheon|Gwangju|Daejeon|Ulsan|Sejong|Jeju(?:-do)?|[A-Z][a-z]+(?:buk|nam)?-do)\b"
)
_ADDRESSES = 20
_BUSINESS_NUMBER = re.compile(
    r"사업자\s*(?:등록)?\s*(?:번호|No\.?)?\s*(?:안내)?\s*[:：.]?\s*\[?\s*(\d{3}\s*-\s*\d{2}\s*-\s*\d{5}|\d{10})(?!\d)"
)


def phones(page_lines: Iterable[str], links: Iterable[str]) -> list[str]:
    """The numbers of the page's telephone links, then those in its lines, in E.164, once each."""
    linked = [normalise_phone(link) for link in links]
    text = "\n".join(
        line
        for line in page_lines
        if len(re.findall(r"\d", line)) >= _PHONE_DIGITS
        and not _NOT_OURS.search(line)
        and not _is_story(line)
    )
    return list(dict.fromkeys([*filter(None, linked), *find_phones(text)]))


def addresses(page_lines: Iterable[str]) -> list[NormalAddress]:
    """The Korean addresses in the lines, once each, without the way there that a sentence tells behind them."""
    found: dict[str, NormalAddress] = {}
    for line in page_lines:
        if _is_story(line) or _FORMERLY.search(line):
            continue
        stretches = [
            line[at.start() : at.start() + _ADDRESS_CHARACTERS] for at in _ADDRESS_START.finditer(line)
        ]
        stretches += [match.group() for match in _ROMANISED.finditer(line)]
        for stretch in stretches:
            address = _address(stretch)
            if address is not None:
                found.setdefault(address.text, address)
        if len(found) >= _ADDRESSES:
            break
    return list(found.values())


def _is_story(line: str) -> bool:
    return len(line) > _STORY_CHARACTERS and bool(_STORY.search(line)) and not _LABELLED.search(line)


def _address(stretch: str) -> NormalAddress | None:
    again = _ADDRESS_START.search(stretch, 2)
    if again:
        stretch = stretch[: again.start()]
    for end in (_ADDRESS_END, _SENTENCE):
        match = end.search(stretch)
        stretch = stretch[: match.start()] if match else stretch
    if stretch.count("(") > stretch.count(")"):
        stretch = stretch.rpartition("(")[0]
    try:
        return normalise_address(stretch.rstrip(" ,.-"))
    except ValueError:
        return None


def business_number(page_lines: Iterable[str]) -> str | None:
    """The first registration number whose check digit is right."""
    for match in _BUSINESS_NUMBER.finditer("\n".join(page_lines)):
        try:
            return str(normalise_value("business_number", match[1]))
        except ValueError:
            continue
    return None
