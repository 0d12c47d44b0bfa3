"""What goes into PostgreSQL as JSON or error text: payloads exactly or not at all, ends always."""

import json
import math
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.jobs import jsontext
from shared.jobs.errors import InvalidPayload, Snooze
from shared.jobs.jsontext import (
    ERROR_CHARACTERS,
    PAYLOAD_BYTES,
    PROGRESS_BYTES,
    RESULT_BYTES,
    error_text,
    payload_text,
    progress_text,
    result_text,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters()) | st.integers(), inner) | st.tuples(inner)
    ),
    max_leaves=20,
)


def test_a_payload_may_be_as_large_as_256_kib_and_not_a_byte_more() -> None:
    frame = len('{"a":""}')
    assert len(payload_text({"a": "x" * (PAYLOAD_BYTES - frame)}).encode()) == PAYLOAD_BYTES
    with pytest.raises(InvalidPayload, match=f"payload: {PAYLOAD_BYTES + 1} bytes"):
        payload_text({"a": "x" * (PAYLOAD_BYTES - frame + 1)})


def test_bytes_are_counted_and_not_characters() -> None:
    with pytest.raises(InvalidPayload, match="bytes"):
        payload_text({"a": "가" * (PAYLOAD_BYTES // 3)})


@given(ANYTHING)
def test_a_payload_is_kept_exactly_or_refused(payload: Any) -> None:
    try:
        text = payload_text(payload)
    except InvalidPayload:
        return
    assert "\x00" not in text
    text.encode()
    assert json.loads(text) == json.loads(json.dumps(payload))


@given(ANYTHING)
def test_what_is_taken_without_a_closer_look_passes_it_and_needs_no_cleaning(value: Any) -> None:
    text = jsontext._as_it_is(value, PAYLOAD_BYTES)
    if text is not None:
        jsontext._refuse(value, "payload", iter(range(PAYLOAD_BYTES)))
        assert jsontext._clean(value, iter(range(PAYLOAD_BYTES))) == value == json.loads(text)


@given(ANYTHING)
def test_a_result_is_always_storable(result: Any) -> None:
    for text, limit in ((result_text(result), RESULT_BYTES), (progress_text(result), PROGRESS_BYTES)):
        assert len(text.encode()) <= limit
        assert "\\u0000" not in text
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_a_result_with_what_no_json_has_is_described() -> None:
    class Odd:
        def __str__(self) -> str:
            raise ValueError

    loop: list[Any] = []
    loop.append(loop)
    kept = json.loads(
        result_text({"set": {1}, "odd": Odd(), "loop": loop, "nan": math.nan, "big": 10**6000, Odd(): 1})
    )
    assert kept["set"] == [1]
    assert kept["odd"] == "(Odd)"
    assert kept["nan"] is None
    assert "bits" in kept["big"]
    assert kept["(Odd)"] == 1


def tangled() -> dict[str, Any]:
    """Two lists that hold each other twice: walked to the deepest allowed, more than any machine can."""
    first: list[Any] = []
    second: list[Any] = [first, first]
    first += [second, second]
    return {"a": first}


def test_values_that_hold_each_other_are_not_walked_to_their_end() -> None:
    for text in (result_text(tangled()), progress_text(tangled())):
        assert "values" in json.loads(text)["dropped"]
    with pytest.raises(InvalidPayload, match=r"payload: (nested too deep|at most)"):
        payload_text(tangled())


def test_a_payload_that_repeats_one_value_too_often_is_refused() -> None:
    value: Any = 0
    for _ in range(60):
        value = [value, value]
    with pytest.raises(InvalidPayload, match=r"payload: at most \d+ values"):
        payload_text({"a": value})


def test_a_key_that_is_no_text_is_refused_by_its_type_alone() -> None:
    with pytest.raises(InvalidPayload, match=r"payload\.a: keys must be text, not int"):
        payload_text({"a": {10**5000: 1}})


@pytest.mark.parametrize("size", [PAYLOAD_BYTES - 1, PAYLOAD_BYTES, PAYLOAD_BYTES + 1])
def test_the_size_is_that_of_the_bytes_whatever_the_alphabet(size: int) -> None:
    korean = "가" * ((size - 8) // 3)
    payload = {"a": korean + "x" * (size - 8 - 3 * len(korean))}
    if size > PAYLOAD_BYTES:
        with pytest.raises(InvalidPayload, match=f"{size} bytes"):
            payload_text(payload)
    else:
        assert len(payload_text(payload).encode()) == size


def test_any_mapping_is_an_object() -> None:
    assert result_text(MappingProxyType({"a": MappingProxyType({"b": 1})})) == '{"a":{"b":1}}'


@given(st.text(st.characters(), max_size=5000))
def test_an_error_is_its_type_and_message_storable_and_bounded(message: str) -> None:
    text = error_text(RuntimeError(message))
    assert text.startswith("RuntimeError")
    assert len(text) <= ERROR_CHARACTERS
    assert "\x00" not in text
    text.encode()


def test_an_error_without_words_is_its_type() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert error_text(TimeoutError()) == "TimeoutError"
    assert error_text(Mute()) == "Mute: (Mute)"
    assert error_text("UnknownThing: as it is") == "UnknownThing: as it is"


@pytest.mark.parametrize("delay", [-1, math.inf, math.nan])
def test_a_snooze_for_no_time_to_wait_is_an_error_of_the_handlers(delay: float) -> None:
    with pytest.raises(ValueError, match="snoozed"):
        Snooze(delay, "quota")


def test_what_ends_the_process_when_it_is_put_in_words_is_named_instead() -> None:
    class Leaving(Exception):
        def __str__(self) -> str:
            raise SystemExit

    assert error_text(Leaving()) == "Leaving: (Leaving)"
    assert json.loads(result_text({"a": Leaving()})) == {"a": "(Leaving)"}
