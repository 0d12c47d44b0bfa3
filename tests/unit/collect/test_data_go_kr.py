"""The open data portal's answers, whichever service stands behind its gateway."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from functions.collect.channels.data_go_kr import items, refusal, service_key
from functions.collect.channels.vendor import Answer, VendorFailure
from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors.gateway import REFUSALS, WORDS
from tests.fakes.vendors.tourapi import SCENARIOS, listed

ASKED = Recorded("GET", "/searchKeyword2", {}, b"")
CODES = {
    "http_status": ["xml_01", "xml_02", "xml_04", "xml_99", "text_backend", "younger_1"],
    "timeout": ["xml_05"],
    "bad_request": ["xml_10", "xml_11", "xml_12", "json_flat", "younger_2"],
    "auth": [
        *["xml_20", "xml_21", "xml_29", "xml_30", "xml_31", "xml_32", "xml_33", "xml_403", "xml_wordy"],
        *["json_number", "json_wrapped", "text_30", "younger_4", "younger_4_good", "younger_401"],
    ],
    "quota_day": ["xml_22", "xml_entities", "json_22", "text_quota", "younger_10"],
    "rate_limited": ["xml_23", "xml_429", "text_rate"],
    "bad_answer": ["xml_unknown"],
}
PASSING = {"http_status", "timeout", "rate_limited", "bad_answer"}


def refused(reply: Reply) -> VendorFailure | None:
    return refusal(reply.status, {}, reply.body)


@pytest.mark.parametrize(("code", "scenario"), [(code, name) for code in CODES for name in CODES[code]])
def test_a_refusal_has_one_code_in_every_form_it_comes_in(code: str, scenario: str) -> None:
    failure = refused(REFUSALS[scenario](ASKED))
    assert failure is not None
    assert (failure.code, failure.retryable) == (code, code in PASSING)
    assert (failure.closes is not None) == (code in ("quota_day", "rate_limited"))


def test_every_form_of_a_refusal_is_read_but_one_that_only_its_status_tells() -> None:
    assert {name for names in CODES.values() for name in names} == REFUSALS.keys() - {"text_unauthorized"}
    assert refused(REFUSALS["text_unauthorized"](ASKED)) is None


@pytest.mark.parametrize("code", WORDS)
def test_the_word_of_a_reason_means_what_its_number_does(code: str) -> None:
    by_number, by_word = refused(REFUSALS[f"xml_{code}"](ASKED)), refused(Reply(body=WORDS[code].encode()))
    assert by_number is not None
    assert by_word is not None
    assert by_word.code == by_number.code


def test_a_byte_order_mark_or_an_empty_line_hides_no_refusal() -> None:
    for before in (b"\xef\xbb\xbf", b"\r\n"):
        failure = refused(Reply(body=before + REFUSALS["json_wrapped"](ASKED).body))
        assert failure is not None
        assert failure.code == "auth"


def test_the_days_quota_closes_until_midnight_and_the_seconds_for_seconds() -> None:
    day, second = refused(REFUSALS["xml_22"](ASKED)), refused(REFUSALS["xml_23"](ASKED))
    assert day is not None
    assert day.closes is not None
    assert timedelta(0) < day.closes <= timedelta(days=1)
    assert second is not None
    assert second.closes == timedelta(seconds=5)


@pytest.mark.parametrize(
    "body",
    [
        listed([]).body,
        listed([], code="00").body,
        b'{"status_code": "OK", "data": []}',
        b"\xef\xbb\xbf" + listed([]).body,
        b"<response><header><resultCode>0000</resultCode></header></response>",
        b"",
        b"\xff\xfe{",
        b"[1]",
        b"<html>",
        b"{" * 50_000,
        b'{"response": []}',
        b'{"response": {"header": {"resultCode": [22]}}}',
    ],
)
def test_a_good_answer_and_one_without_a_reason_are_no_refusal(body: bytes) -> None:
    assert refusal(200, {}, body) is None


def answer(value: Any) -> Answer:
    return Answer(200, "application/json", json.dumps(value).encode())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (listed([{"a": 1}, {"a": 2}], total="17"), ([{"a": 1}, {"a": 2}], 17)),
        (listed({"a": 1}), ([{"a": 1}], 1)),
        (listed([], total="0"), ([], 0)),
        (listed([{"a": 1}], total="many"), ([{"a": 1}], 1)),
        (listed([{"a": 1}], code="00"), ([{"a": 1}], 1)),
        (SCENARIOS["no_data"](ASKED), ([], 0)),
    ],
)
def test_items_are_a_list_in_every_form_they_come_in(reply: Reply, expected: Any) -> None:
    assert items(Answer(reply.status, reply.content_type, reply.body)) == expected


@pytest.mark.parametrize(
    "scenario", ["no_header", "no_body", "no_items", "items_text", "items_texts", "good_xml"]
)
def test_half_an_answer_is_a_bad_one(scenario: str) -> None:
    reply = SCENARIOS[scenario](ASKED)
    with pytest.raises(VendorFailure, match="bad_answer"):
        items(Answer(reply.status, reply.content_type, reply.body))


def test_null_items_are_none() -> None:
    header = {"resultCode": "0000"}
    assert items(answer({"response": {"header": header, "body": {"items": None}}})) == ([], 0)
    assert items(answer({"response": {"header": header, "body": {"items": {"item": None}}}})) == ([], 0)


def test_a_key_is_taken_in_both_spellings_the_portal_gives() -> None:
    assert {service_key(SecretStr(given)) for given in ("a+b/c==", "a%2Bb%2Fc%3D%3D", " a+b/c==\n")} == {
        "a+b/c=="
    }
