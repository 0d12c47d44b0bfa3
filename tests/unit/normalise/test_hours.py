"""Opening hours in Korean and English are understood whole or kept as text; nothing is invented."""

from typing import Any

import pytest

from shared.places.models import DAYS
from shared.places.normalise import hours_parsed_whole, parse_hours

WEEKDAYS, WEEKEND = DAYS[:5], DAYS[5:]


def on(days: Any, *spans: tuple[str, str]) -> dict[str, list[list[str]]]:
    return {day: [list(span) for span in spans] for day in days}


def every(*spans: tuple[str, str]) -> dict[str, list[list[str]]]:
    return on(DAYS, *spans)


ELEVEN_TO_NINE = ("11:00", "21:00")

# text, days, and what else it states
UNDERSTOOD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("매일 11:30-21:00", every(("11:30", "21:00")), {}),
    ("매일 11시~21시", every(ELEVEN_TO_NINE), {}),
    ("매일 오전 11시 ~ 오후 9시", every(ELEVEN_TO_NINE), {}),
    ("오전 11시 ~ 오후 9시 매일", every(ELEVEN_TO_NINE), {}),
    ("매일 오전 11시 30분부터 오후 9시 반까지", every(("11:30", "21:30")), {}),
    ("영업시간 : 매일 11:00 - 21:00", every(ELEVEN_TO_NINE), {}),
    ("매일 OPEN 11:00 CLOSE 21:00", every(ELEVEN_TO_NINE), {}),
    ("매일 오후 6시~10시", every(("18:00", "22:00")), {}),
    ("월~금 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월요일부터 금요일까지 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월화수목금 09:00-18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("평일(월~금) 09:00~18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("월,수,금 10:00~19:00", on(["mon", "wed", "fri"], ("10:00", "19:00")), {}),
    ("토·일 10:00~22:00", on(WEEKEND, ("10:00", "22:00")), {}),
    ("토요일~월요일 10:00~18:00", on(["mon", "sat", "sun"], ("10:00", "18:00")), {}),
    (
        "평일 10:00~20:00 주말 11:00~18:00",
        on(WEEKDAYS, ("10:00", "20:00")) | on(WEEKEND, ("11:00", "18:00")),
        {},
    ),
    ("매일 11:00~21:00, 주말 10:00~22:00", every(ELEVEN_TO_NINE) | on(WEEKEND, ("10:00", "22:00")), {}),
    ("매주 화요일 휴무", {"tue": []}, {}),
    ("매일 11:00~21:00, 매주 화요일 휴무", every(ELEVEN_TO_NINE) | {"tue": []}, {}),
    ("11:00~21:00 (매주 월요일 휴무)", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("월요일은 쉽니다. 화~일 11:00~21:00", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("휴무: 월, 화\n11:00~21:00", every(ELEVEN_TO_NINE) | {"mon": [], "tue": []}, {}),
    ("정기휴무: 매주 일요일, 영업시간: 11:00~21:00", every(ELEVEN_TO_NINE) | {"sun": []}, {}),
    ("연중무휴 11:00~21:00", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("매일 11시~21시(연중무휴)", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("24시간 연중무휴", every(("00:00", "24:00")), {"holidays": "open"}),
    ("매일 24시간 영업", every(("00:00", "24:00")), {}),
    ("매일 18:00~02:00", every(("18:00", "02:00")), {}),
    ("매일 18:00 ~ 익일 02:00", every(("18:00", "02:00")), {}),
    ("매일 17:00~26:00", every(("17:00", "02:00")), {}),
    ("매일 정오~자정", every(("12:00", "24:00")), {}),
    ("매일 저녁 6시 ~ 새벽 3시", every(("18:00", "03:00")), {}),
    ("매일 11:00~15:00, 17:00~22:00", every(("11:00", "15:00"), ("17:00", "22:00")), {}),
    (
        "매일 11:00~21:00 브레이크타임 15:00~17:00",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00, 15:00~17:00 브레이크타임",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00 (브레이크타임 15:00~17:00, 라스트오더 20:30)",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    (
        "매일 11:00~21:00 (20:30 라스트오더)",
        every(ELEVEN_TO_NINE),
        {"last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    ("매일 11:00~21:00 L.O 20:30", every(ELEVEN_TO_NINE), {"last_order": dict.fromkeys(DAYS, "20:30")}),
    (
        "매일 11:00~21:00 마감 30분 전 주문마감",
        every(ELEVEN_TO_NINE),
        {"last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    (
        "매일 11:00-21:00 라스트오더 14:30, 20:20 브레이크타임 15:00-17:00",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:20")},
    ),
    (
        "평일 11:00~21:00 15:00~17:00 브레이크타임 / 주말 11:00~22:00",
        on(WEEKDAYS, ELEVEN_TO_NINE) | on(WEEKEND, ("11:00", "22:00")),
        {"breaks": on(WEEKDAYS, ("15:00", "17:00"))},
    ),
    (
        "평일 09:00~18:30\n토요일 09:00~13:00\n점심시간 13:00~14:00\n일요일, 공휴일 휴진",
        on(WEEKDAYS, ("09:00", "18:30")) | on(["sat"], ("09:00", "13:00")) | {"sun": []},
        {"breaks": on(WEEKDAYS, ("13:00", "14:00")), "holidays": "closed"},
    ),
    (
        "매일 11:00~21:00, 둘째·넷째 주 월요일 휴무",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "mon"}]},
    ),
    (
        "11:00~21:00 / 매월 2, 4번째 일요일 휴무",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "sun"}]},
    ),
    (
        "정기휴무 : 첫째주, 셋째주 화요일 / 영업시간 : 매일 11시~21시",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [1, 3], "day": "tue"}]},
    ),
    (
        "평일 09:00~18:00, 토요일 09:00~13:00, 일요일·공휴일 휴무",
        on(WEEKDAYS, ("09:00", "18:00")) | on(["sat"], ("09:00", "13:00")) | {"sun": []},
        {"holidays": "closed"},
    ),
    ("매일 11:00~21:00, 공휴일 휴무", every(ELEVEN_TO_NINE), {"holidays": "closed"}),
    (
        "주말 및 공휴일 10:00~20:00, 평일 11:00~21:00",
        on(WEEKDAYS, ELEVEN_TO_NINE) | on(WEEKEND, ("10:00", "20:00")),
        {"holidays": [["10:00", "20:00"]]},
    ),
    ("매일 11:00~21:00 공휴일 정상영업", every(ELEVEN_TO_NINE), {"holidays": "open"}),
    ("Mon-Fri 9am-6pm, Sat closed", on(WEEKDAYS, ("09:00", "18:00")) | {"sat": []}, {}),
    (
        "Monday to Friday: 9:00 AM – 6:00 PM; Saturday 10 am - 2 pm; Sunday closed",
        on(WEEKDAYS, ("09:00", "18:00")) | on(["sat"], ("10:00", "14:00")) | {"sun": []},
        {},
    ),
    (
        "Daily 11:00–21:00 (break 15:00–17:00, last order 20:30)",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    ("Tuesday to Sunday 11:00 to 21:00. Closed Mondays.", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("Open every day from 11am to 9pm", every(ELEVEN_TO_NINE), {}),
    ("Open 24 hours daily", every(("00:00", "24:00")), {}),
    ("9am-5pm Mon-Fri", on(WEEKDAYS, ("09:00", "17:00")), {}),
    (
        "Mon-Thu 5pm-12am, Fri-Sat 5pm-2am, Sun closed",
        on(DAYS[:4], ("17:00", "24:00")) | on(["fri", "sat"], ("17:00", "02:00")) | {"sun": []},
        {},
    ),
    (
        "Daily 11am-9pm, closed on the second Tuesday",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2], "day": "tue"}]},
    ),
    (
        "Closed every 2nd and 4th Monday, daily 11:00-21:00",
        every(ELEVEN_TO_NINE),
        {"closed_nth": [{"nth": [2, 4], "day": "mon"}]},
    ),
    ("Mo-Fr 09:00-18:00", on(WEEKDAYS, ("09:00", "18:00")), {}),
    ("Mo,We,Fr 09:00-12:00", on(["mon", "wed", "fri"], ("09:00", "12:00")), {}),
    ("매일 11:00~21:30", every(("11:00", "21:30")), {}),
    (
        "매일 11:00~21:30 / L.O 21:00 / B.T 15:00-17:00",
        every(("11:00", "21:30")),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "21:00")},
    ),
    (
        "매일 11:00 - 21:00\n15:00 - 17:00 브레이크타임\n14:30, 20:30 라스트오더",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00")), "last_order": dict.fromkeys(DAYS, "20:30")},
    ),
    (
        "월 정기휴무 (매주 월요일)\n화 11:00 - 21:00\n수 11:00 - 21:00\n목 11:00 - 21:00\n금 11:00 - 22:00",
        {"mon": []} | on(DAYS[1:4], ELEVEN_TO_NINE) | on(["fri"], ("11:00", "22:00")),
        {},
    ),
    (
        "첫째·셋째 화요일 휴무, 매일 10:00-19:00",
        every(("10:00", "19:00")),
        {"closed_nth": [{"nth": [1, 3], "day": "tue"}]},
    ),
    (
        "2,4주 일요일 휴무 매일 10시~20시",
        every(("10:00", "20:00")),
        {"closed_nth": [{"nth": [2, 4], "day": "sun"}]},
    ),
    (
        "매월 둘째주 월, 화 휴무 매일 10:00~20:00",
        every(("10:00", "20:00")),
        {"closed_nth": [{"nth": [2], "day": "mon"}, {"nth": [2], "day": "tue"}]},
    ),
    ("365일 24시간", every(("00:00", "24:00")), {"holidays": "open"}),
    (
        "평일 9시~18시, 토요일 9시~13시, 일요일 및 공휴일 휴무",
        on(WEEKDAYS, ("09:00", "18:00")) | on(["sat"], ("09:00", "13:00")) | {"sun": []},
        {"holidays": "closed"},
    ),
    (
        "화,목 10:00~21:00 / 월,수,금 13:00~22:00",
        on(["mon", "wed", "fri"], ("13:00", "22:00")) | on(["tue", "thu"], ("10:00", "21:00")),
        {},
    ),
    ("화·수요일 휴무, 11:00~20:00", every(("11:00", "20:00")) | {"tue": [], "wed": []}, {}),
    (
        "일~목 17:00~01:00, 금·토 17:00~03:00",
        on([*DAYS[:4], "sun"], ("17:00", "01:00")) | on(["fri", "sat"], ("17:00", "03:00")),
        {},
    ),
    ("저녁 6시부터 새벽 2시까지 매일", every(("18:00", "02:00")), {}),
    (
        "매일 17:00~익일02:00 (라스트오더 01:00)",
        every(("17:00", "02:00")),
        {"last_order": dict.fromkeys(DAYS, "01:00")},
    ),
    ("매일 11:00~02:00", every(("11:00", "02:00")), {}),
    ("매일 22:00~06:00", every(("22:00", "06:00")), {}),
    ("매일 정오부터 밤 10시까지", every(("12:00", "22:00")), {}),
    ("매일 낮 12시 ~ 밤 12시", every(("12:00", "24:00")), {}),
    ("매일 오후 12시 ~ 오후 10시", every(("12:00", "22:00")), {}),
    ("매일 오후 6시~오전 12시", every(("18:00", "24:00")), {}),
    ("토 오전 9시~오후 12시 30분", on(["sat"], ("09:00", "12:30")), {}),
    ("매일 12:00~00:00", every(("12:00", "24:00")), {}),
    ("매일 AM 10:00 ~ PM 10:00", every(("10:00", "22:00")), {}),
    ("매일 점심 11:30-14:30 저녁 17:00-21:00", every(("11:30", "14:30"), ("17:00", "21:00")), {}),
    (
        "런치 11:30~15:00 디너 17:30~22:00 월요일 휴무",
        every(("11:30", "15:00"), ("17:30", "22:00")) | {"mon": []},
        {},
    ),
    (
        "매일 09:00~18:00 점심시간 12:00~13:00",
        every(("09:00", "18:00")),
        {"breaks": every(("12:00", "13:00"))},
    ),
    (
        "매일 11:00~21:00 브레이크타임 오후 3시~5시",
        every(ELEVEN_TO_NINE),
        {"breaks": every(("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00 (평일 브레이크타임 15:00~17:00)",
        every(ELEVEN_TO_NINE),
        {"breaks": on(WEEKDAYS, ("15:00", "17:00"))},
    ),
    (
        "매일 11:00~21:00 라스트오더 1시간 전",
        every(ELEVEN_TO_NINE),
        {"last_order": dict.fromkeys(DAYS, "20:00")},
    ),
    (
        "11:00~20:00 (토 09:00~20:00) 월 휴무",
        every(("11:00", "20:00")) | on(["sat"], ("09:00", "20:00")) | {"mon": []},
        {},
    ),
    ("매일 11:00~22:00 공휴일 11:00~20:00", every(("11:00", "22:00")), {"holidays": [["11:00", "20:00"]]}),
    (
        "주말, 공휴일 10:00~18:00 평일 휴무",
        on(WEEKEND, ("10:00", "18:00")) | on(WEEKDAYS),
        {"holidays": [["10:00", "18:00"]]},
    ),
    ("매일 １１：００～２１：００", every(ELEVEN_TO_NINE), {}),
    ("토ㆍ일 11:00〜21:00", on(WEEKEND, ELEVEN_TO_NINE), {}),
    ("11:00~20:00 (월~금)", on(WEEKDAYS, ("11:00", "20:00")), {}),
    ("Closed Sundays", {"sun": []}, {}),
    ("Closed Mondays. 11am-9pm", every(ELEVEN_TO_NINE) | {"mon": []}, {}),
    ("Daily 10am until midnight", every(("10:00", "24:00")), {}),
    ("Mon-Sun 12 noon - 10pm", every(("12:00", "22:00")), {}),
    ("Mon-Fri 9am-12pm, 1pm-6pm", on(WEEKDAYS, ("09:00", "12:00"), ("13:00", "18:00")), {}),
    ("Daily: Lunch 11:30-14:30 Dinner 17:30-22:00", every(("11:30", "14:30"), ("17:30", "22:00")), {}),
    (
        "Mon, Wed & Fri 10am–6pm; Tue/Thu 12pm–8pm",
        on(["mon", "wed", "fri"], ("10:00", "18:00")) | on(["tue", "thu"], ("12:00", "20:00")),
        {},
    ),
    (
        "Weekdays 9am to 5pm, weekends 10am to 4pm",
        on(WEEKDAYS, ("09:00", "17:00")) | on(WEEKEND, ("10:00", "16:00")),
        {},
    ),
]

KEPT_AS_TEXT = [
    "11:00~21:00",  # on which days?
    "11:00~21:00, 공휴일 휴무",
    "매일 오전 10시~8시",
    "매일 10:00~8:00",
    "매일 1:00~5:00",
    "9-6 Mon-Fri",
    "월~금 9-18",
    "매일 09:00~06:00",
    "매일 11:00~21:00 (재료 소진 시 조기마감)",
    "격주 월요일 휴무",
    "명절 당일 휴무, 매일 11:00~21:00",
    "월 11:00-21:00 월 10:00-20:00",
    "토 10:00-15:00, 토 휴무",
    "매일 11:00~21:00 라스트오더 22:00",
    "매일 11:00~21:00 브레이크타임 22:00~23:00",
    "월~금 11:00-21:00, 토 11:00-20:00 브레이크타임 15:00-17:00",  # whose break?
    "Closed: Sunday, Mon-Sat 10:00-19:00",  # until where do the closed days reach?
    "매일(월~금) 09:00~18:00",
    "연중무휴 11:00~21:00, 월요일 휴무",
    "금일휴무",
    "매일 25:70~31:00",
    "10월 1일 휴무",
    "예약제로 운영합니다",
    "전화로 문의해 주세요 02-123-4567",
    "브레이크타임 15:00~17:00",
    # noon or midnight, evening or morning: written so that two readers read two things
    "매일 오전 12시 ~ 오후 10시",
    "매일 오전 10시~오후 12시",
    "매일 오후 5시~오후 12시",
    "매일 저녁 6시~저녁 12시",
    "매일 PM 6:00 ~ PM 12:00",
    "매일 오전 11시~오전 10시",
    "매일 오전 9시~오전 6시",
    "매일 12:00~06:00",
    "매일 11:00~05:00",
    "매일 14:00~6:00",
    "매일 18:00~12:00",
    "매일 18:00~10:00",
    "매일 7시~3시",
    "매일 10:00~10:00",
    "Weekdays 9-5",
    # whose hours are they?
    "12:00~21:00 수목금 12:00~20:00 토일",
    "10am-6pm Mon-Fri, 10am-4pm Sat",
    "9am-5pm Mon-Fri, Sat closed",
    "11am-9pm Tue-Sun, closed Mondays",
    "8am-6pm Mon-Fri, 9am-5pm Sat, Sun closed",
    "11:00~20:00(월~금), 12:00~18:00(토), 일 휴무",
    "11:00~20:00 (금) 12:00~18:00 (토) 일 휴무",
    "11:00~20:00 (토) 일 휴무",
    "11:00~20:00 / 월~목 / 12:00~18:00 / 금 / 토 휴무",
    "11:00~20:00(월~목), 12:00~18:00(금), 토 휴무",
    "11:00~20:00 화~일 월 휴무",
    "11:00~20:00 화~토 일 휴무",
    "홀 11:00~21:00 배달 11:00~23:00 매일",
    "1층 매일 11:00~21:00 2층 매일 17:00~24:00",
    "수요일 14:00~20:00, 그 외 11:00~20:00",
    # lunch, or a break for lunch?
    "매일 점심 11:30-14:30",
    "평일 09:30-18:30 점심 13:00-14:00 토 09:30-13:00",
    "평일 09:00-13:00 점심 13:00-14:00 14:00-18:00",
    "매일 11:00~21:00 점심시간 11:30~13:30",
    # more than a week can say
    "재료 소진 시 마감",
    "동절기(11~2월) 10:00~17:00 / 하절기(3~10월) 10:00~18:00",
    "Summer hours: Mon-Sun 9am-9pm",
    "연중무휴 (설, 추석 제외) 11:00~21:00",
    "24시간 연중무휴 (명절 당일 휴무)",
    "매월 마지막 주 월요일 휴무, 10:00~21:00",
    "월 2회 휴무 11:00~20:00",
    "매월 1일, 15일 휴무 10:00~20:00",
    "홀수주 월요일 휴무 매일 10:00~20:00",
    "2026.12.25 휴무, 매일 11:00~21:00",
    "매주 월요일 휴관 (단, 공휴일인 경우 다음 날 휴관) 10:00~18:00",
    "매일 10:00~20:00, 첫째 수요일 10:00~22:00",
    "매일 10:00~20:00, 둘째·넷째 수요일 휴무, 수요일 휴무",
    "평일 09:00~18:00 토요일 09:00~13:00 일요일 오전 휴무",
    "평일 09:00~18:00 (수요일 야간 20:00까지)",
    "평일 09:00~18:00 (공휴일 제외)",
    "매일 11:00~21:00 브레이크타임 15:00~17:00 (주말 제외)",
    "매일 11:00~21:00 라스트오더 20:00 (주말 20:30)",
    "매일 11:00~21:00 라스트오더 8시 30분",
    "매일 11:00~21:00 라스트오더 20:00 라스트오더 20:30",
    "평일 09:00~18:00 접수마감 17:30",  # not an order
    "Daily 10am - late",
    "Mon-Fri from 9am",
    "Mon-Fri 9am-6pm (by appointment only)",
    "Kitchen closes at 21:00, daily 11:00-22:00",
    "Open daily 11:00–22:00, closed Christmas Day",
    "Temporarily closed",
    # something else altogether
    "체크인 15:00 ~ 체크아웃 11:00",
    "매일 11:00~21:00 02-123-4567",
    "매일 11:00~21:00 주차 2시간 무료",
    "Happy hour Mon-Fri 5pm-7pm",
    "영업중 21:00에 영업 종료",
    "매일",
    "휴무",
]


@pytest.mark.parametrize(("text", "days", "more"), UNDERSTOOD, ids=[text for text, _, _ in UNDERSTOOD])
def test_hours_are_understood_whole(text: str, days: dict[str, Any], more: dict[str, Any]) -> None:
    hours = parse_hours(text)
    assert hours_parsed_whole(hours)
    stated = hours.model_dump(mode="json", exclude_defaults=True)
    assert stated == {"days": days, "text": text, **more}
    assert list(stated["days"]) == [day for day in DAYS if day in days]


@pytest.mark.parametrize("text", KEPT_AS_TEXT)
def test_what_leaves_a_doubt_is_kept_as_text_alone(text: str) -> None:
    hours = parse_hours(text)
    assert not hours_parsed_whole(hours)
    assert hours.model_dump(exclude_defaults=True) == {"text": text}
