"""Sets of weekdays as people write them: "월~금", "매일", "토·일·공휴일", "Mon-Fri", "weekends"."""

import re
from dataclasses import dataclass

from shared.places.models import DAYS, Day

_KOREAN: dict[str, Day] = dict(zip("월화수목금토일", DAYS, strict=True))
_ENGLISH: dict[str, Day] = {day[:2]: day for day in DAYS}

_WEEKDAYS, _WEEKEND = frozenset(DAYS[:5]), frozenset(DAYS[5:])

_KO_DAY = r"[월화수목금토일](?:요일)?"
# What may follow a Korean day at once: no other word, or one that says what happens on it.
_KO_END = (
    r"(?:\s*(?:에는|에도|은|는|엔|에|도|마다))?(?=[^가-힣]|및|과|와|휴|쉽|쉬|정기|정상|영업|진료|오전|오후|$)"
)
_EN_DAY = (
    r"\b(?:mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
    r"|mo|tu|we|th|fr|sa|su)s?\b\.?"
)
_RANGE_KO = r"\s*(?:~|-|–|부터)\s*"
_RANGE_EN = r"\s*(?:-|–|~|to|through|thru)\s*"

_HOLIDAYS = r"(?:법정\s*)?공휴일|\b(?:public\s+|national\s+)?holidays?\b|\bPH\b"

DAY_SET = re.compile(
    rf"""(?P<every>매일|모든\s*요일|전\s*요일|every\s*day|daily|(?:all|7|seven)\s+days(?:\s+a\s+week)?){_KO_END}
      | (?P<weekdays>평일|주중|weekdays?){_KO_END}
      | (?P<weekend>주말|weekends?){_KO_END}
      | (?P<holidays>{_HOLIDAYS}){_KO_END}
      | (?P<from_ko>{_KO_DAY}){_RANGE_KO}(?P<to_ko>{_KO_DAY})(?:\s*까지)?{_KO_END}
      | (?!금일(?![월화수목금토일]))(?P<run>[월화수목금토일]{{2,7}})(?:요일)?{_KO_END}
      | (?P<one_ko>{_KO_DAY}){_KO_END}
      | (?P<from_en>{_EN_DAY}){_RANGE_EN}(?P<to_en>{_EN_DAY})
      | (?P<one_en>{_EN_DAY})""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class DaySet:
    """Weekdays, and whether public holidays belong to them."""

    days: frozenset[Day]
    holidays: bool = False

    def __or__(self, other: "DaySet") -> "DaySet":
        return DaySet(self.days | other.days, self.holidays or other.holidays)


def read_days(match: re.Match[str]) -> DaySet:
    """The weekdays a match of `DAY_SET` names."""
    if match["every"]:
        return DaySet(frozenset(DAYS))
    if match["weekdays"]:
        return DaySet(_WEEKDAYS)
    if match["weekend"]:
        return DaySet(_WEEKEND)
    if match["holidays"]:
        return DaySet(frozenset(), holidays=True)
    if match["run"]:
        return DaySet(frozenset(_KOREAN[letter] for letter in match["run"]))
    if match["from_ko"]:
        return DaySet(day_range(_KOREAN[match["from_ko"][0]], _KOREAN[match["to_ko"][0]]))
    if match["one_ko"]:
        return DaySet(frozenset([_KOREAN[match["one_ko"][0]]]))
    if match["from_en"]:
        return DaySet(day_range(_ENGLISH[match["from_en"][:2].lower()], _ENGLISH[match["to_en"][:2].lower()]))
    return DaySet(frozenset([_ENGLISH[match["one_en"][:2].lower()]]))


def day_range(first: Day, last: Day) -> frozenset[Day]:
    """The days from `first` to `last`, both included, over the week's end where it must ("토~월")."""
    start, end = DAYS.index(first), DAYS.index(last)
    length = (end - start) % 7 + 1
    return frozenset(DAYS[(start + step) % 7] for step in range(length))
