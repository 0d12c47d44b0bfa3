"""Opening hours in sentences, days of the same hours said together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from functions.copy.place_facts import Trade
from shared.places.korean import josa
from shared.places.models import DAYS, Day, Hours, Interval, Locale

Said = TypeVar("Said")

_NAMES: dict[Locale, dict[Day, str]] = {
    "ko": dict(zip(DAYS, ("월", "화", "수", "목", "금", "토", "일"), strict=True)),
    "en": dict(
        zip(
            DAYS,
            ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
            strict=True,
        )
    ),
}
# A pause in the day and the last call of it.
_PAUSES: dict[Locale, dict[Trade, tuple[str, str]]] = {
    "ko": {
        "food": ("브레이크타임", "라스트오더"),
        "medical": ("점심시간", "접수 마감"),
        "other": ("휴게시간", "접수 마감"),
    },
    "en": {
        "food": ("break", "Last orders are taken"),
        "medical": ("break", "Last admission is"),
        "other": ("break", "Last admission is"),
    },
}
_NTH: dict[Locale, tuple[str, ...]] = {
    "ko": ("", "첫째", "둘째", "셋째", "넷째", "다섯째"),
    "en": ("", "first", "second", "third", "fourth", "fifth"),
}


@dataclass(frozen=True)
class OpeningText:
    """`open` says when it is open, `closed` when it is not; both are sentences, both may be empty."""

    open: tuple[str, ...]
    closed: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Everything, opening first."""
        return self.open + self.closed


def business(trade: Trade) -> str:
    """What a place does in its hours, in Korean: a clinic does not 영업."""
    return "진료" if trade == "medical" else "영업"


def opening_text(hours: Hours, locale: Locale, trade: Trade = "food") -> OpeningText:
    """The hours in sentences. What could not be read as days is said in the source's own words, in Korean only."""
    if not hours.days:
        return OpeningText((hours.text,) if hours.text and locale == "ko" else (), ())
    return _korean(hours, trade) if locale == "ko" else _english(hours, trade)


def _korean(hours: Hours, trade: Trade) -> OpeningText:
    opened = []
    works, (pause, last) = business(trade), _PAUSES["ko"][trade]
    for days, spans in _grouped(_open_days(hours)):
        when = _when(days)
        opened.append(
            f"{when} 24시간 {works}합니다."
            if _all_day(spans)
            else f"{when} {_spans(spans, 'ko')} {works}합니다."
        )
    for days, gaps in _grouped(_breaks(hours, "ko")):
        opened.append(f"{_whose(days, hours, 'ko')}{josa(pause, '은/는')} {gaps}입니다.")
    for days, clock in _grouped(_last_orders(hours, "ko")):
        opened.append(f"{_whose(days, hours, 'ko')}{josa(last, '은/는')} {clock}입니다.")
    closed = [_days(off, "ko")] if (off := _closed_days(hours)) else []
    for rule in hours.closed_nth:
        nth = "·".join(_NTH["ko"][n] for n in sorted(set(rule.nth)))
        closed.append(f"매월 {nth} {_NAMES['ko'][rule.day]}요일")
    if hours.holidays == "closed":
        closed.append("공휴일")
    elif hours.holidays == "open":
        opened.append(f"공휴일에도 {works}합니다.")
    elif hours.holidays:
        opened.append(f"공휴일에는 {_spans(hours.holidays, 'ko')} {works}합니다.")
    two = len(closed) == 2 and " " not in closed[0]
    off_days = f"{josa(closed[0], '과/와')} {closed[1]}" if two else ", ".join(closed)
    return OpeningText(tuple(opened), (f"{josa(off_days, '은/는')} 쉽니다.",) if closed else ())


def _english(hours: Hours, trade: Trade) -> OpeningText:
    opened = []
    pause, last = _PAUSES["en"][trade]
    for days, spans in _grouped(_open_days(hours)):
        when = _days(days, "en")
        opened.append(f"Open 24 hours {when}." if _all_day(spans) else f"Open {when}, {_spans(spans, 'en')}.")
    for days, gaps in _grouped(_breaks(hours, "en")):
        opened.append(f"There is a {pause} {gaps}{_whose(days, hours, 'en')}.")
    for days, clock in _grouped(_last_orders(hours, "en")):
        opened.append(f"{last} at {clock}{_whose(days, hours, 'en')}.")
    closed = _day_runs(off) if (off := _closed_days(hours)) else []
    for rule in hours.closed_nth:
        nth = " and ".join(_NTH["en"][n] for n in sorted(set(rule.nth)))
        closed.append(f"every {nth} {_NAMES['en'][rule.day]} of the month")
    if hours.holidays == "closed":
        closed.append("public holidays")
    elif hours.holidays == "open":
        opened.append("Open on public holidays too.")
    elif hours.holidays:
        opened.append(f"On public holidays open {_spans(hours.holidays, 'en')}.")
    off_days = _and(closed)
    on = "" if off_days.startswith("every") else "on "
    return OpeningText(tuple(opened), (f"Closed {on}{off_days}.",) if closed else ())


def _and(parts: Sequence[str]) -> str:
    """Two with "and", more with commas as well: some of them hold an "and" of their own."""
    return " and ".join(parts) if len(parts) <= 2 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _breaks(hours: Hours, locale: Locale) -> dict[Day, str]:
    """Each day's breaks in words; one that lies past midnight says so."""
    joint = ", " if locale == "ko" else " and "
    said: dict[Day, str] = {}
    for day, gaps in hours.breaks.items():
        spans = hours.days.get(day, [])
        said[day] = joint.join(
            _between(_clock(g[0], spans, locale), _clock(g[1], spans, locale), locale) for g in gaps
        )
    return said


def _last_orders(hours: Hours, locale: Locale) -> dict[Day, str]:
    return {day: _clock(clock, hours.days.get(day, []), locale) for day, clock in hours.last_order.items()}


def _clock(clock: str, spans: Sequence[Interval], locale: Locale) -> str:
    """The time, named as the next day's when it belongs to a span that runs past midnight."""
    past_midnight = any(closes <= opens and clock <= closes for opens, closes in spans)
    if not past_midnight or any(opens <= clock <= closes for opens, closes in spans):
        return clock
    return _next_day(clock, locale)


def _next_day(clock: str, locale: Locale) -> str:
    return f"다음 날 {clock}" if locale == "ko" else f"{clock} the next day"


def _open_days(hours: Hours) -> dict[Day, list[Interval]]:
    return {day: spans for day, spans in hours.days.items() if spans}


def _closed_days(hours: Hours) -> list[Day]:
    return [day for day in DAYS if hours.days.get(day) == []]


def _grouped(by_day: Mapping[Day, Said]) -> list[tuple[list[Day], Said]]:
    """Days that share a value, in the week's order of their first one."""
    groups: list[tuple[list[Day], Said]] = []
    for day in DAYS:
        if day not in by_day:
            continue
        for days, value in groups:
            if value == by_day[day]:
                days.append(day)
                break
        else:
            groups.append(([day], by_day[day]))
    return groups


def _runs(days: Sequence[Day]) -> list[list[Day]]:
    """Days that follow each other, together."""
    runs: list[list[Day]] = []
    for day in days:
        if runs and DAYS.index(day) == DAYS.index(runs[-1][-1]) + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return runs


def _days(days: Sequence[Day], locale: Locale) -> str:
    names = _NAMES[locale]
    if len(days) == 7:
        return "매일" if locale == "ko" else "every day"
    runs = _runs(days)
    if locale == "ko":
        if len(runs) == 1 and len(days) >= 3:
            return f"{names[days[0]]}요일부터 {names[days[-1]]}요일까지"
        every = [names[day] for day in days]
        return "요일과 ".join(every) + "요일" if len(every) <= 2 else "·".join(every) + "요일"
    return _and(_day_runs(days))


def _day_runs(days: Sequence[Day]) -> list[str]:
    names, parts = _NAMES["en"], []
    for run in _runs(days):
        parts += [f"{names[run[0]]} to {names[run[-1]]}"] if len(run) >= 3 else [names[day] for day in run]
    return parts


def _when(days: Sequence[Day]) -> str:
    """The days as the beginning of a Korean sentence: "매일", "화요일부터 금요일까지", "토요일과 일요일에는"."""
    said = _days(days, "ko")
    return said if said.endswith(("매일", "까지")) else f"{said}에는"


def _whose(days: Sequence[Day], hours: Hours, locale: Locale) -> str:
    """Which days a remark is about, unsaid when it is about all days that are open."""
    if list(days) == [day for day in DAYS if day in _open_days(hours)]:
        return ""
    said = _days(days, locale)
    if locale == "en":
        return f", {said}"
    return f"{said}의 " if said.endswith("까지") else f"{said} "


def _all_day(spans: Sequence[Interval]) -> bool:
    return len(spans) == 1 and spans[0][0] == "00:00" and spans[0][1] in ("24:00", "00:00")


def _spans(spans: Sequence[Interval], locale: Locale) -> str:
    return (", " if locale == "ko" else " and ").join(_span(span, locale) for span in spans)


def _span(span: Interval, locale: Locale) -> str:
    opens, closes = span
    return _between(opens, _next_day(closes, locale) if closes <= opens else closes, locale)


def _between(opens: str, closes: str, locale: Locale) -> str:
    return f"{opens}부터 {closes}까지" if locale == "ko" else f"from {opens} to {closes}"
