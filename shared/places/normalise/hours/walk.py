"""Tokens of opening hours gathered into statements: groups of days, breaks, last orders, closed days."""

from shared.places.models import DAYS, ClosedNth, Interval
from shared.places.normalise.hours.clock import stretch
from shared.places.normalise.hours.days import DaySet
from shared.places.normalise.hours.reading import Extra, Group, Reading, UnclearError
from shared.places.normalise.hours.tokens import Kind, Token

_ALL_DAY: Interval = ("00:00", "24:00")
_LUNCH_MINUTES = 90  # of a lunch break; longer is the time in which lunch is served


class Walk:
    """One pass over the tokens of one text."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._reading = Reading()
        self._named: list[DaySet] = []  # days named, nothing said of them yet
        self._expect_closed = False  # "휴무:" was read; the days follow it
        self._fresh_line = True

    def run(self) -> Reading:
        """The statements. Raises UnclearError where the tokens leave a doubt."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.kind is Kind.LINE:
                self._fresh_line = True
                continue
            self._step(token)
            self._fresh_line = False
        self._end_closed()
        if self._named:
            self._days_after_hours()
        return self._reading

    def _days_after_hours(self) -> None:
        """ "오전 11시~오후 9시, 매일": the days of the only hours stand behind them."""
        without = [group for group in self._reading.groups if not group.closed]
        if any(group.days is not None for group in without):
            raise UnclearError  # "10am-6pm Mon-Fri 10am-4pm Sat" was read in the wrong order
        kinds = [token.kind for token in self._tokens if token.kind is not Kind.LINE]
        while kinds and kinds[-1] is Kind.DAYS:
            kinds.pop()
        if len(without) != 1 or not kinds or kinds[-1] not in (Kind.SPAN, Kind.ALL_DAY):
            raise UnclearError
        without[0].days = self._take_named()

    def _take_named(self) -> DaySet | None:
        """The days named last, together, which are then no longer waiting. None where none was named."""
        if not self._named:
            return None
        first, *others = self._named
        self._named = []
        rest = DaySet(frozenset())
        for other in others:
            rest = rest | other
        if rest.days and rest.days < first.days:
            raise UnclearError  # "매일(월~금)"
        return first | rest

    def _take(self, kind: Kind) -> Token | None:
        """The next token if it is of this kind, and steps over it; lines between do not matter."""
        ahead = self._at
        while ahead < len(self._tokens) and self._tokens[ahead].kind is Kind.LINE:
            ahead += 1
        if ahead < len(self._tokens) and self._tokens[ahead].kind is kind:
            self._at = ahead + 1
            return self._tokens[ahead]
        return None

    def _step(self, token: Token) -> None:
        match token.kind:
            case Kind.DAYS:
                self._days(token.value)
            case Kind.NTH:
                self._nth(token.value)
            case Kind.SPAN:
                self._span(token.value)
            case Kind.ALL_DAY:
                self._span(_ALL_DAY)
            case Kind.CLOSED:
                self._closed()
            case Kind.OPEN:
                self._open()
            case Kind.NEVER_CLOSED:
                self._reading.never_closed = True
            case Kind.BREAK | Kind.LUNCH_BREAK:
                self._break(lunch=token.kind is Kind.LUNCH_BREAK)
            case Kind.LUNCH:
                self._meals()
            case Kind.LAST_ORDER:
                self._last_order()
            case Kind.TIME | Kind.BEFORE_CLOSE:
                self._before_last_order(token)
            case _:
                raise UnclearError

    def _days(self, days: DaySet) -> None:
        if self._expect_closed and self._fresh_line and self._named:
            self._end_closed()  # the next line speaks of other days
        self._check_behind_hours()
        self._named.append(days)

    def _check_behind_hours(self) -> None:
        """Days behind hours that name none: of those hours, or of what comes next?

        English sets days behind their hours, Korean does so in brackets; "11:00~20:00 월 휴무" speaks of a closed day.
        """
        groups = self._reading.groups
        here = self._at - 1
        if here == 0 or not groups or groups[-1].days is not None or self._expect_closed:
            return
        if self._tokens[here - 1].kind not in (Kind.SPAN, Kind.ALL_DAY):
            return
        last = here
        while not self._tokens[last].closed and self._kind(last + 1) is Kind.DAYS:
            last += 1
        first, rest = self._tokens[here], [t for t in self._tokens[last + 1 :] if t.kind is not Kind.LINE]
        bracketed = first.opened and self._tokens[last].closed
        if not rest or (first.apart and not bracketed):
            return
        if bracketed or first.english or rest[0].kind in (Kind.SPAN, Kind.ALL_DAY):
            raise UnclearError  # "9am-5pm Mon-Fri, Sat closed", "11:00~20:00(월~목), 12:00~18:00(금), 토 휴무"

    def _kind(self, index: int) -> Kind | None:
        return self._tokens[index].kind if index < len(self._tokens) else None

    def _nth(self, numbers: tuple[int, ...]) -> None:
        if self._named and not self._expect_closed:
            raise UnclearError
        while following := self._take(Kind.NTH):
            numbers = tuple(sorted({*numbers, *following.value}))
        named = self._take(Kind.DAYS)
        if named is None:
            raise UnclearError
        days: DaySet = named.value
        if not self._expect_closed:
            while more := self._take(Kind.DAYS):
                days = days | more.value
            if self._take(Kind.CLOSED) is None:
                raise UnclearError
        if days.holidays or not days.days:
            raise UnclearError
        self._reading.closed_nth += [
            ClosedNth(nth=list(numbers), day=day) for day in DAYS if day in days.days
        ]
        if self._expect_closed and (again := self._take(Kind.NTH)):
            self._nth(again.value)
        self._expect_closed = False

    def _span(self, span: Interval) -> None:
        if self._expect_closed and len(self._named) > 1 and not self._fresh_line:
            raise UnclearError  # "휴무: 월, 화~일 11:00~20:00": which of them are closed?
        self._end_closed()
        if not self._named and self._is_named_a_break():
            self._take(Kind.BREAK)
            self._extra().breaks.append(span)
            return
        groups = self._reading.groups
        if self._named or not groups or groups[-1].closed:
            if not self._named and any(group.days is None for group in groups):
                raise UnclearError
            groups.append(Group(self._take_named()))
        groups[-1].spans.append(span)

    def _is_named_a_break(self) -> bool:
        """Whether the interval just read is followed by the word that makes it a break: "15:00~17:00 브레이크타임"."""
        here = self._at
        is_break = self._take(Kind.BREAK) is not None
        takes_next = is_break and (self._take(Kind.SPAN) or self._take(Kind.NONE)) is not None
        self._at = here
        return is_break and not takes_next and bool(self._reading.groups)

    def _closed(self) -> None:
        if self._named:
            self._reading.groups.append(Group(self._take_named(), closed=True))
        else:
            self._expect_closed = True

    def _end_closed(self) -> None:
        """Ends "휴무: 월, 화": what was named after the word is closed."""
        if not self._expect_closed:
            return
        self._expect_closed = False
        if not self._named:
            raise UnclearError
        self._reading.groups.append(Group(self._take_named(), closed=True))

    def _open(self) -> None:
        days = self._take_named()
        if days is None or days.days:
            raise UnclearError
        self._reading.holidays_open = True

    def _meals(self) -> None:
        """ "점심 11:30~14:30, 저녁 17:00~21:00": a day in two parts. Lunch alone may be a break as well as all there is."""
        groups = self._reading.groups
        lunch = self._take(Kind.SPAN)
        self._take(Kind.DINNER)
        dinner = self._take(Kind.SPAN)
        if lunch is None or dinner is None or not (self._named or not groups or groups[-1].closed):
            raise UnclearError
        self._span(lunch.value)
        self._span(dinner.value)

    def _break(self, lunch: bool) -> None:
        if self._take(Kind.NONE):
            return
        extra = self._extra()
        while span := self._take(Kind.SPAN):
            opens, closes = stretch(span.value)
            if lunch and (opens < 12 * 60 or closes - opens > _LUNCH_MINUTES):
                raise UnclearError  # the hours in which lunch is served
            extra.breaks.append(span.value)
        if not extra.breaks:
            raise UnclearError

    def _last_order(self) -> None:
        extra = self._extra()
        while time := self._take(Kind.TIME):
            extra.last_orders.append(time.value)
        if not extra.last_orders and (before := self._take(Kind.BEFORE_CLOSE)):
            extra.before_close = before.value
        if not extra.last_orders and extra.before_close is None:
            raise UnclearError

    def _before_last_order(self, token: Token) -> None:
        """ "20:30 라스트오더", "14:30, 20:30 라스트오더", "30분 전 주문마감"."""
        times = [token.value]
        while token.kind is Kind.TIME and (more := self._take(Kind.TIME)):
            times.append(more.value)
        if self._take(Kind.LAST_ORDER) is None:
            raise UnclearError
        extra = self._extra()
        if token.kind is Kind.TIME:
            extra.last_orders += times
        else:
            extra.before_close = token.value

    def _extra(self) -> Extra:
        """A new break or last order, for the days named before it or for the opening hours it stands beside."""
        self._end_closed()
        extra = Extra(self._days_of_extra())
        self._reading.extras.append(extra)
        return extra

    def _days_of_extra(self) -> DaySet | None:
        if self._named:
            return self._take_named()
        opened = [group for group in self._reading.groups if not group.closed]
        if not opened:
            return None
        if self._hours_follow():
            return opened[-1].days
        if len(opened) == 1 or self._fresh_line:
            return None
        if self._reading.extras:  # earlier groups had their own
            return opened[-1].days
        raise UnclearError  # of every group, or of the last alone?

    def _hours_follow(self) -> bool:
        rest = self._tokens[self._at :]
        kinds = [token.kind for token in rest]
        for index, kind in enumerate(kinds):
            if kind is Kind.DAYS:
                after = [k for k in kinds[index:] if k not in (Kind.LINE, Kind.DAYS)]
                if after and after[0] in (Kind.SPAN, Kind.ALL_DAY):
                    return True
        return False
