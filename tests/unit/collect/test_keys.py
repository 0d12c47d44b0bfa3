"""The keys of the vendors: by value, together in one secret, or not to be had."""

import json
import logging
from collections.abc import Callable, Iterator

import boto3
import pytest
from aws_lambda_powertools.utilities import parameters
from moto import mock_aws
from pydantic import SecretStr

from functions.collect.keys import ChannelKeys, channel_keys, given_keys
from shared.settings import Settings

REGION = "ap-northeast-2"


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Puts a text into a secret of its own; gives its ARN."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        manager = boto3.client("secretsmanager", region_name=REGION)
        parameters.clear_caches()

        def put(text: str) -> str:
            return str(manager.create_secret(Name="web4ai/channels", SecretString=text)["ARN"])

        yield put
        parameters.clear_caches()


def plain(keys: ChannelKeys) -> dict[str, str]:
    held = keys.model_dump(exclude_none=True)
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in held.items()
    }


async def test_without_a_secret_the_keys_are_those_of_the_settings() -> None:
    given = Settings(
        kakao_api_key=SecretStr("k"),
        naver_client_id=SecretStr("i"),
        naver_client_secret=SecretStr("s"),
        tourapi_key=SecretStr("t"),
        nts_key=SecretStr("n"),
        google_places_api_key=SecretStr("g"),
        perplexity_api_key=SecretStr("p"),
    )
    everything = {
        "kakao": "k",
        "naver_id": "i",
        "naver_secret": "s",
        "tourapi": "t",
        "nts": "n",
        "google_places": "g",
        "perplexity": "p",
    }
    assert plain(await channel_keys(given)) == plain(given_keys(given)) == everything
    assert set(everything) == set(ChannelKeys.model_fields) - {"problem"}
    assert plain(await channel_keys(Settings())) == {}


async def test_a_secret_fills_in_what_is_not_given_by_value(stored: Callable[[str], str]) -> None:
    arn = stored(json.dumps({"kakao": "of the secret", "nts": "n", "tourapi": None, "nobody's": "x"}))
    keys = await channel_keys(Settings(channel_keys_secret_arn=arn, kakao_api_key=SecretStr("by value")))
    assert plain(keys) == {"kakao": "by value", "nts": "n"}


async def test_a_key_is_taken_without_the_line_end_of_its_file_and_an_empty_one_is_none(
    stored: Callable[[str], str],
) -> None:
    arn = stored(json.dumps({"kakao": "k\n", "nts": " ", "tourapi": ""}))
    keys = await channel_keys(Settings(channel_keys_secret_arn=arn, naver_client_id=SecretStr("i \r\n")))
    assert plain(keys) == {"kakao": "k", "naver_id": "i"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kakao=hush-hush",
        "[]",
        '"hush-hush"',
        '{"kakao": ["hush-hush"]}',
        '{"nts": 7, "kakao": "hush-hush"}',
    ],
)
async def test_a_secret_of_another_form_is_a_problem_that_does_not_quote_it(
    stored: Callable[[str], str], text: str
) -> None:
    settings = Settings(channel_keys_secret_arn=stored(text or " "), nts_key=SecretStr("n"))
    keys = await channel_keys(settings)
    assert plain(keys) == {"nts": "n", "problem": "the secret of the keys is not a JSON object of texts"}


async def test_a_secret_that_cannot_be_read_leaves_the_channels_that_have_their_key(
    stored: Callable[[str], str],
) -> None:
    arn = stored("{}").replace("web4ai", "another")
    keys = await channel_keys(Settings(channel_keys_secret_arn=arn, nts_key=SecretStr("n")))
    assert plain(keys) == {"nts": "n", "problem": "the secret of the keys cannot be read: GetParameterError"}


async def test_keys_do_not_show_where_they_are_printed(
    stored: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "functions")
    keys = await channel_keys(Settings(channel_keys_secret_arn=stored('{"kakao": "hush-hush"}')))
    assert "hush-hush" not in f"{keys} {keys!r} {keys.model_dump_json()} {caplog.text}"
