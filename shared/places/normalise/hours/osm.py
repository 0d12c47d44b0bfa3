"""Opening hours of OpenStreetMap: the part of its `opening_hours` syntax that says one week.

Rules are read in order: one after `;` replaces what earlier rules said of the days it names, one after `,` adds
to it. Everything that reaches beyond a week (months, dates, weeks, school holidays, the sun, open ends, comments,
`||`) is not read, and then nothing is: the text is kept.
"""

import re
from dataclasses import dataclass, field

from shared.places.models import DAYS, ClosedNth, Day, Hours, Interval
from shared.places.normalise.hours.clock import clock_of
from shared.places.normalise.hours.days import day_range
from shared.places.normalise.hours.reading import UnclearError
from shared.places.normalise.hours.text import kept_text
from shared.places.normalise.hours.week import sorted_spans

_LONGEST = 255  # characters, as long as OpenStreetMap lets a tag's value be
_DAY: dict[str, Day] = {day[:2].title(): day for day in DAYS}
_WD = r"(?:Mo|Tu|We|Th|Fr|Sa|Su)"
_ENTRY = re.compile(
    rf"(?P<holiday>PH)|(?P<first>{_WD})(?:\s*-\s*(?P<last>{_WD}))?(?:\[(?P<nth>[1-5](?:\s*[,-]\s*[1-5])*)\])?"
)
_JOIN = re.compile(r"\s*,\s*")
_TIMES = re.compile(r"(\d{1,2}):(\d{2})\s*[-\u2013]\s*(\d{1,2}):(\d{2})(?![\d:+])")
_CLOSED = re.compile(r"(?:off|closed)\b", re.IGNORECASE)
_ALWAYS = re.compile(r"24/7")
_OPEN = re.compile(r"\s*open\b", re.IGNORECASE)
_MIDNIGHT = 24 * 60


@dataclass
class _Rule:
    adds: bool  # joined by a comma: adds to what was said, and does not replace it
    days: frozenset[Day] = frozenset()
    nth: list[ClosedNth] = field(default_factory=list)
    holidays: bool = False
    spans: list[Interval] = field(default_factory=list)  # none: closed


@dataclass
class _Week:
    days: dict[Day, list[Interval]] = field(default_factory=dict)
    nth: list[ClosedNth] = field(default_factory=list)
    holidays: list[Interval] | None = None

    def hours(self, text: str) -> Hours:
        days = {day: sorted_spans(self.days[day]) for day in DAYS if day in self.days}
        if any(not days.get(closed.day) for closed in self.nth):
            raise UnclearError  # closed on some such days, and nothing says that it is open on the others
        holidays = None if self.holidays is None else sorted_spans(self.holidays) or "closed"
        return Hours(days=days, closed_nth=self.nth, holidays=holidays, text=text)


def hours_from_osm(text: str) -> Hours:
    """The hours of an `opening_hours` tag, with the text itself; the text alone where it says more than a week.

    A day that no rule names stays unstated. Never raises.
    """
    kept = kept_text(text)
    try:
        return _week(_rules(" ".join(kept.split()))).hours(kept)
    except UnclearError:
        return Hours(text=kept or None)


def _rules(text: str) -> list[_Rule]:
    if not text or len(text) > _LONGEST:
        raise UnclearError
    rules: list[_Rule] = []
    position, adds = 0, False
    while position < len(text):
        rule, position = _rule(text, position, adds)
        rules.append(rule)
        position = _past_spaces(text, position)
        if position == len(text):
            break
        if text[position] not in ";,":
            raise UnclearError
        adds = text[position] == ","
        position = _past_spaces(text, position + 1)
        if position == len(text) and adds:
            raise UnclearError
    return rules


def _rule(text: str, position: int, adds: bool) -> tuple[_Rule, int]:
    rule = _Rule(adds)
    always = _ALWAYS.match(text, position)
    if always:
        rule.days, rule.spans = frozenset(DAYS), [("00:00", "24:00")]
        return rule, _after_open(text, always.end())
    position = _selector(text, position, rule)
    named = bool(rule.days or rule.nth or rule.holidays)
    position = _past_spaces(text, position)
    closed = _CLOSED.match(text, position)
    if closed:
        if not named:
            raise UnclearError  # closed altogether, which is no week
        return rule, closed.end()
    while times := _TIMES.match(text, position):
        rule.spans.append(_span(times))
        position = times.end()
        join = _JOIN.match(text, position)
        if join is None or not _TIMES.match(text, join.end()):
            break
        position = join.end()
    if not rule.spans or rule.nth:
        raise UnclearError
    if not named:
        rule.days = frozenset(DAYS)
    return rule, _after_open(text, position)


def _past_spaces(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


def _after_open(text: str, position: int) -> int:
    match = _OPEN.match(text, position)
    return match.end() if match else position


def _selector(text: str, position: int, rule: _Rule) -> int:
    while entry := _ENTRY.match(text, position):
        if entry["holiday"]:
            rule.holidays = True
        elif entry["nth"]:
            if entry["last"]:
                raise UnclearError
            rule.nth.append(ClosedNth(nth=_numbers(entry["nth"]), day=_DAY[entry["first"]]))
        else:
            first = _DAY[entry["first"]]
            rule.days |= day_range(first, _DAY[entry["last"]] if entry["last"] else first)
        position = entry.end()
        join = _JOIN.match(text, position)
        if join is None or not _ENTRY.match(text, join.end()):
            break
        position = join.end()
    if text[position : position + 1].isalpha():
        raise UnclearError  # "Monday", "Jan", "sunrise"
    return position


def _numbers(text: str) -> list[int]:
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    if not numbers:
        raise UnclearError
    return sorted(numbers)


def _span(match: re.Match[str]) -> Interval:
    hour, minute, end_hour, end_minute = map(int, match.groups())
    opens, closes = hour * 60 + minute, end_hour * 60 + end_minute
    if minute > 59 or end_minute > 59 or opens >= _MIDNIGHT:
        raise UnclearError
    if closes == 0:
        closes = _MIDNIGHT
    if closes < opens:
        closes += _MIDNIGHT
    if not opens < closes <= opens + _MIDNIGHT:
        raise UnclearError
    return clock_of(opens), clock_of(closes)


def _week(rules: list[_Rule]) -> _Week:
    week = _Week()
    for rule in rules:
        if rule.adds and not rule.spans and any(week.days.get(day) for day in rule.days):
            raise UnclearError  # "Mo-Fr 09:00-18:00, Mo off"
        if week.holidays is not None and rule.days and not rule.holidays:
            raise UnclearError  # a later rule holds on holidays too, which is seldom what was meant
        if rule.days and any(closed.day in rule.days for closed in week.nth):
            raise UnclearError  # and one that comes after "Tu[2] off" takes it back
        for day in rule.days:
            before = week.days.get(day, []) if rule.adds else []
            week.days[day] = [*before, *rule.spans]
        week.nth += rule.nth
        if rule.holidays:
            before = (week.holidays or []) if rule.adds else []
            week.holidays = [*before, *rule.spans]
    if not week.days:
        raise UnclearError
    return week
