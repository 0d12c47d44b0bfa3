"""Whether what a sentence says of days and times agrees with the opening hours.

A sentence is read in the ways people write: the days before the times or after them, "closed" before its days or after
them. It agrees when one reading is true from end to end; a reading that leaves a time without its days holds it against
all days that are open.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from functions.copy.claims.korean_forms import MASK
from functions.copy.claims.masking import Masked, Value
from shared.places.models import DAYS, Day, Hours, Interval

_TIMED = frozenset(["clock", "days", "all_year", "holiday", "nth", "number"])
_WORDS = re.compile(
    r"(?P<break>브레이크\s?타임?|쉬는 시간|점심\s?시간(?=은)|휴게\s?시간|\bbreaks?\b)|"
    r"(?P<last_order>라스트\s?오더|마지막 주문|주문 마감|접수 마감|\blast (?:orders?|call|admission)\b)|"
    r"(?P<closed>휴무일?|휴진|쉽니다|쉬(?:는|고|며|나요|어요|세요)|휴업|닫|"
    r"(?:영업|운영|문)[을이]?\s?(?:마치|마칩|마감|끝나|끝납|종료)|\bclosed\b|\bcloses?\b|\bclosing\b)|"
    r"(?P<open>영업|진료(?=합|하|시간)|운영|엽니다|여는|여나요|열(?:고|며|어)|\bopen(?:s|ing)?\b|\boperat\w+)|"
    r"(?P<next_day>다음\s?날|익일|(?:the )?next day)|"
    rf"(?P<until_after>(?<={MASK})\s?까지)|(?P<until_before>\b(?:until|till|to)\s(?={MASK}))|"
    rf"(?P<from_after>(?<={MASK})\s?부터)|(?P<from_before>\bfrom\s(?={MASK}))|"
    rf"(?P<mask>{MASK})",
)


_CLOSING = re.compile("clos|휴|쉬|쉽|닫|마|끝|종료")
_IN_THE_BREAK = re.compile(
    r"(?:브레이크\s?타임?|점심\s?시간|휴게\s?시간|쉬는 시간)\s?(?:에도|에는?|에|중|동안)"
)


@dataclass
class _Clause:
    """A stretch of the sentence under one word."""

    head: Literal["open", "closed", "break", "last_order"] | None = None
    events: list[Value] = field(default_factory=list)
    bounds: list[Literal["from", "until"] | None] = field(default_factory=list)  # of the clocks
    next_day: bool = False


def disagree(said: Masked, hours: Hours | None, *, asked: bool, told: str = "") -> bool:
    """Whether the sentence says of days or times what the hours do not.

    `asked`: a question or heading, which names without claiming; `told`: what the owner wrote, whose days are no opening
    hours as long as nothing is said to open or close on them.
    """
    if _IN_THE_BREAK.search(said.text):
        return True  # whatever is said to go on in a break, no fact says it
    if not any(_timed(value) for value in said.values) and not _CLOSING.search(said.text.lower()):
        return False
    events = list(_events(said))
    if not any(_timed(event) for event in events):
        closed = any(event == "closed" for event in events)
        return closed and not (asked and hours is not None and bool(_closed_at_all(hours)))
    spans = [event.span for event in events if not isinstance(event, str)]
    if spans == [
        e.span for e in events if not isinstance(e, str) and e.kind == "days" and e.span in told
    ] and len(spans) == len(events):
        return False
    if hours is None:
        return True
    return not any(
        all(
            _true(statement, hours) for statement in _statements(events, headed=headed, days_first=days_first)
        )
        for headed in (True, False)
        for days_first in (True, False)
    )


def _timed(event: Value | str) -> bool:
    return not isinstance(event, str) and event.kind in _TIMED


def _closed_at_all(hours: Hours) -> bool:
    return (
        hours.holidays == "closed"
        or bool(hours.closed_nth)
        or any(spans == [] for spans in hours.days.values())
    )


def _events(said: Masked) -> Iterator[Value | str]:
    values = iter(said.values)
    nth: Value | None = None
    for match in _WORDS.finditer(said.text.lower()):
        if match.lastgroup != "mask":
            yield str(match.lastgroup)
            continue
        value = next(values)
        if nth is not None:
            yield replace(nth, days=value.days)  # "second and fourth" is said of the day that follows
            nth = None
            if value.kind == "days":
                continue
        if value.kind == "nth":
            nth = value
        elif value.kind == "number":
            if value.amount == 24 and value.unit.startswith(("시간", "hour")):
                yield value
        elif _timed(value):
            yield value
    if nth is not None:
        yield nth


@dataclass(frozen=True)
class _Statement:
    head: str | None
    days: frozenset[Day]
    excepted: frozenset[Day]
    holiday: bool
    all_year: bool
    nth: tuple[tuple[tuple[int, ...], frozenset[Day]], ...]  # which of which days of a month
    clocks: tuple[str, ...]
    bounds: tuple[str | None, ...]
    all_day: bool
    next_day: bool

    @property
    def says_when(self) -> bool:
        """Whether there is a time to the days."""
        return bool(self.clocks) or self.all_day

    def times(self) -> dict[str, Any]:
        """Everything that is not about which days."""
        return {name: getattr(self, name) for name in ("clocks", "bounds", "all_day", "next_day")}


def _statements(events: Sequence[Value | str], *, headed: bool, days_first: bool) -> Iterator[_Statement]:
    before: _Statement | None = None
    for clause in _clauses(events, headed=headed, breaks_end=not (headed or days_first)):
        for statement in _split(clause, days_first=days_first):
            said = statement
            names_no_day = not (said.days or said.holiday or said.nth)
            if before is not None and names_no_day and not before.says_when and before.head in (None, "open"):
                # "On Sunday it is closed": the days stood before the word that speaks of them.
                said = replace(before, head=said.head or before.head, **said.times())
                before = None
            elif before is not None and names_no_day and said.head in ("break", "last_order"):
                said = replace(said, days=before.days)  # the break of the days just spoken of
            elif before is not None and names_no_day and said.head == "closed" and said.clocks:
                said = replace(said, days=before.days)  # "opens at 11 on Sunday and closes at 9"
            if before is not None:
                yield before
            before = said
    if before is not None:
        yield before


def _clauses(events: Sequence[Value | str], *, headed: bool, breaks_end: bool) -> Iterator[_Clause]:
    """Cut at "open" and "closed": before the word when it leads its clause, after it when it ends one.

    A break leads, unless the times stand before it and it `breaks_end`s the clause.
    """
    clause = _Clause()
    pending: Literal["from", "until"] | None = None
    for event in events:
        if event in ("from_before", "until_before"):
            pending = "from" if event == "from_before" else "until"
        elif event in ("from_after", "until_after"):
            if clause.events and clause.events[-1].kind == "clock":
                clause.bounds[-1] = "from" if event == "from_after" else "until"
        elif event == "next_day":
            clause.next_day = True
        elif isinstance(event, str):
            leads = headed or (event in ("break", "last_order") and not (breaks_end and clause.events))
            if leads and (clause.events or clause.head):
                yield clause
                clause = _Clause()
            clause.head = event  # type: ignore[assignment]
            if not leads:
                yield clause
                clause = _Clause()
        else:
            clause.events.append(event)
            clause.bounds.append(pending if event.kind == "clock" else None)
            pending = None
    if clause.events or clause.head:
        yield clause


def _split(clause: _Clause, *, days_first: bool) -> Iterator[_Statement]:
    """Days with their times, where a clause has several of both."""
    groups: list[list[tuple[Value, str | None]]] = [[]]
    for event, bound in zip(clause.events, clause.bounds, strict=True):
        group = groups[-1]
        is_day = event.kind in ("days", "all_year", "holiday", "nth")
        has_days = any(e.kind in ("days", "all_year", "holiday", "nth") for e, _ in group)
        has_times = any(e.kind in ("clock", "number") for e, _ in group)
        if (days_first and is_day and has_times) or (not days_first and not is_day and has_days):
            groups.append([])
            group = groups[-1]
        group.append((event, bound))
    for group in groups:
        events = [event for event, _ in group]
        yield _Statement(
            head=clause.head,
            days=frozenset(day for event in events if event.kind != "nth" for day in event.days),
            excepted=frozenset(day for event in events for day in event.excepted),
            holiday=any(event.kind == "holiday" for event in events),
            all_year=any(event.kind == "all_year" for event in events),
            nth=tuple((tuple(sorted(event.nth)), event.days) for event in events if event.kind == "nth"),
            clocks=tuple(event.clock for event in events if event.clock is not None),
            bounds=tuple(bound for event, bound in group if event.kind == "clock"),
            all_day=any(event.kind == "number" for event in events),
            next_day=clause.next_day,
        )


def _true(said: _Statement, hours: Hours) -> bool:
    if said.head == "break":
        return _same_gaps(said, hours)
    if said.head == "last_order":
        return _same_last_order(said, hours)
    if said.head == "closed" and not said.clocks:
        return _closed(said, hours)
    return _open(said, hours)


def _closed(said: _Statement, hours: Hours) -> bool:
    if said.all_day or said.all_year:
        return False
    rules = {rule.day: tuple(sorted(set(rule.nth))) for rule in hours.closed_nth}
    if any(not days or any(rules.get(day) != nth for day in days) for nth, days in said.nth):
        return False
    if said.holiday and hours.holidays != "closed":
        return False
    if not said.days and not said.holiday and not said.nth:
        return False
    return all(hours.days.get(day) == [] for day in said.days)


def _open(said: _Statement, hours: Hours) -> bool:
    if said.nth:
        return False
    if said.all_year and (
        hours.closed_nth or hours.holidays == "closed" or not _open_days(hours, frozenset(DAYS))
    ):
        return False
    if said.days == frozenset(DAYS) and hours.closed_nth:
        return False
    if any(hours.days.get(day) != [] for day in said.excepted):
        return False
    if said.holiday and not _holiday_open(said, hours):
        return False
    if said.holiday and not said.days:
        return True
    days = said.days or frozenset(day for day, spans in hours.days.items() if spans)
    if not _open_days(hours, days):
        return False
    return all(_same_times(said, hours.days[day]) for day in days)


def _open_days(hours: Hours, days: frozenset[Day]) -> bool:
    return bool(days) and all(hours.days.get(day) for day in days)


def _holiday_open(said: _Statement, hours: Hours) -> bool:
    if hours.holidays in (None, "closed"):
        return False
    return isinstance(hours.holidays, list) and _same_times(said, hours.holidays) if said.clocks else True


def _same_times(said: _Statement, spans: Sequence[Interval]) -> bool:
    """Whether the times are exactly those of a day: all of them, its first and last, or one of the two by its right name."""
    flat = tuple(_plain(clock) for span in spans for clock in span)
    if said.next_day and not any(closes <= opens for opens, closes in spans):
        return False
    if said.all_day:
        return flat == ("00:00", "00:00") and not said.clocks
    if not said.clocks:
        return True
    if len(said.clocks) == 1:
        closing = said.bounds[0] == "until" or said.head == "closed"
        return said.clocks[0] == (flat[-1] if closing else flat[0])
    return said.clocks in (flat, (flat[0], flat[-1]))


def _plain(clock: str) -> str:
    return "00:00" if clock == "24:00" else clock


def _same_gaps(said: _Statement, hours: Hours) -> bool:
    days = said.days or frozenset(day for day, gaps in hours.breaks.items() if gaps)
    if not days:
        return False
    if not said.clocks:
        return all(hours.breaks.get(day) for day in days)
    others = [spans for day, spans in hours.days.items() if not said.days and not hours.breaks.get(day)]
    if any(
        opens < said.clocks[-1] and closes > said.clocks[0] for spans in others for opens, closes in spans
    ):
        return False  # said of every day, and one is open all through
    return all(tuple(c for gap in hours.breaks.get(day, []) for c in gap) == said.clocks for day in days)


def _same_last_order(said: _Statement, hours: Hours) -> bool:
    days = said.days or frozenset(day for day, spans in hours.days.items() if spans)
    return bool(days) and all(
        (hours.last_order.get(day),) == said.clocks or (not said.clocks and day in hours.last_order)
        for day in days
    )
