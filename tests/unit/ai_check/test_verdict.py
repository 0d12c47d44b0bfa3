import pytest

from functions.ai_check.engines import EngineAnswer
from functions.ai_check.verdict import Known, Verdict, judged, mentions

KNOWN = Known(
    names=("달그릇국수", "Dalgeureut Noodles"),
    own_page="https://pages.example/dalgeureut-noodles/",
    listings=("http://dalgeureut.example/", "https://social.example/@dalgeureut"),
)


@pytest.mark.parametrize(
    ("text", "names", "mentioned"),
    [
        ("성수동의 달그릇국수를 추천합니다.", ["달그릇국수"], True),
        ("'달그릇 국수'가 있습니다.", ["달그릇국수"], True),
        ("Try DALGEUREUT noodles!", ["Dalgeureut Noodles"], True),
        ("Try Dalgeureut-Noodles.", ["Dalgeureut Noodles"], True),
        ("다른 국숫집이 있습니다.", ["달그릇국수"], False),
        ("Barometer is open.", ["Bar ON", "bar"], False),
        ("The rebound is a cafe.", ["Bound"], False),
        ("온 세상", ["온"], False),
    ],
)
def test_a_name_is_found_however_it_is_written_and_not_inside_others(
    text: str, names: list[str], mentioned: bool
) -> None:
    assert mentions(text, names) is mentioned


def answer(cited: list[str], retrieved: list[str], text: str = "") -> EngineAnswer:
    return EngineAnswer(text, tuple(cited), tuple(retrieved), "m", None, None)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (
            answer(["https://pages.example/dalgeureut-noodles/en/"], [], "달그릇국수"),
            Verdict(True, True, False, False),
        ),
        (answer(["http://www.pages.example/dalgeureut-noodles"], []), Verdict(False, True, False, False)),
        (
            answer([], ["https://pages.example/dalgeureut-noodles/"]),
            Verdict(False, False, True, False),
        ),
        (
            answer(
                ["https://pages.example/dalgeureut-noodles/"], ["https://pages.example/dalgeureut-noodles/"]
            ),
            Verdict(False, True, False, False),
        ),
        (answer(["https://pages.example/dalgeureut-noodles-2/"], []), Verdict(False, False, False, False)),
        (answer(["http://dalgeureut.example/menu.html"], []), Verdict(False, False, False, True)),
        (
            answer(["https://social.example/@somebody", "no url [", ""], []),
            Verdict(False, False, False, False),
        ),
    ],
)
def test_own_page_and_listings_are_told_apart(given: EngineAnswer, verdict: Verdict) -> None:
    assert judged(given, KNOWN) == verdict
