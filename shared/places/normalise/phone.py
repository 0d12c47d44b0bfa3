"""Telephone numbers: one stored form (E.164), one written the way Korea writes it."""

import re
import unicodedata

import phonenumbers
from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher

_LABEL = re.compile(r"^(?:tel|phone|전화(?:번호)?|대표번호|연락처|문의|T|☎|📞)\s*[.:)]?\s*", re.IGNORECASE)
_EXTENSION = re.compile(
    r"[(\[]?\s*(?:내선|구내|교환|ext\.?|extension)\s*(?:번호)?\s*[:#]?\s*\d{1,5}\s*번?\s*[)\]]?",
    re.IGNORECASE,
)
_SECOND_NUMBER = re.compile(
    r"(?<=\d)\s*[~∼〜,/;|].*$", re.DOTALL
)  # "02-6012-3456~7" names two lines; the first is kept
_REGISTRATION = re.compile(r"^\d{3}-\d{2}-\d{5}$")  # a business number, which some numbering plans would take
_REMARK = re.compile(r"\([^()\d]*\)")  # "(예약)"
_KEYCAPS = str.maketrans("", "", "\ufe0f\u20e3")  # what makes an emoji of a digit
_LONGEST_INPUT = 100  # characters; a longer text is no telephone number
_TRIES = 1_000  # candidates of one text that turn out to be no number
_REPRESENTATIVE = re.compile(r"\+821[568]\d{6}")
_FAX_BEFORE = re.compile(r"(?:팩스|팩시밀리|fax|(?<![a-z])f)\s*(?:번호)?\s*[.:)]*\s*$", re.IGNORECASE)


def normalise_phone(text: str, region: str = "KR") -> str | None:
    """The number in E.164 ("+82212345678"), or None when `text` is not one valid number.

    Knows what Korean pages write: 050x safe numbers, 15xx/16xx/18xx representative numbers (whose E.164 form
    cannot be dialled from abroad), "(내선 2)", and "02-6012-3456~7", of which the first line is taken. A Korean
    number without its leading 0 is refused: ten digits may as well be a business number, eight a date.
    """
    if len(text) > _LONGEST_INPUT:
        return None
    cleaned = unicodedata.normalize("NFKC", text.translate(_KEYCAPS)).strip().removeprefix("tel:")
    cleaned = _REMARK.sub("", _EXTENSION.sub("", _LABEL.sub("", cleaned)))
    cleaned = _SECOND_NUMBER.sub("", cleaned).strip()
    if _REGISTRATION.match(cleaned) or not _is_dialled(cleaned, region):
        return None
    try:
        number = phonenumbers.parse(cleaned, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    number.extension = None
    return str(phonenumbers.format_number(number, PhoneNumberFormat.E164))


def _is_dialled(text: str, region: str) -> bool:
    """Whether the digits begin as one dials them in Korea: 0, a country's code, or 15xx, 16xx, 18xx."""
    digits = re.sub(r"[^\d+]", "", text)
    if region != "KR" or digits.startswith(("+", "0")):
        return True
    if digits.startswith("82") and re.search(r"82\D", text):
        return True
    return len(digits) == 8 and digits[0] == "1" and digits[1] in "568"


def display_phone(e164: str) -> str:
    """How the number is written for readers in Korea: "0507-1234-5678", "1588-1234", "02-123-4567".

    Numbers of other countries are written internationally; what is no number comes back unchanged.
    """
    if not e164.startswith("+82"):
        try:
            number = phonenumbers.parse(e164, None)
        except phonenumbers.NumberParseException:
            return e164
        return str(phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL))
    significant = e164[3:]
    if is_shared_number(e164):  # dialled without a leading zero
        return f"{significant[:4]}-{significant[4:]}"
    national = "0" + significant
    if national.startswith("02"):
        area = 2
    elif national.startswith("050") and len(national) >= 11:
        area = 4
    else:
        area = 3
    if len(national) < area + 7:
        return national
    return f"{national[:area]}-{national[area:-4]}-{national[-4:]}"


def is_shared_number(e164: str) -> bool:
    """Whether it is a representative number (15xx, 16xx, 18xx), which all branches of a chain answer."""
    return _REPRESENTATIVE.fullmatch(e164) is not None


def find_phones(text: str, region: str = "KR") -> list[str]:
    """Every valid number that stands in `text`, in E.164, in order, once each; fax numbers are left out."""
    found: dict[str, None] = {}
    for match in PhoneNumberMatcher(text, region, Leniency.VALID, max_tries=_TRIES):
        if _FAX_BEFORE.search(text[max(0, match.start - 16) : match.start]):
            continue
        if not _is_dialled(match.raw_string, region):
            continue
        number = match.number
        number.extension = None
        found[str(phonenumbers.format_number(number, PhoneNumberFormat.E164))] = None
    return list(found)
