"""The keys of the channels' vendors, by value or together in one secret."""

import asyncio
import json
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, SecretStr, ValidationError

from shared.secrets import secret
from shared.settings import Settings


def _bare(key: SecretStr | None) -> SecretStr | None:
    """Without the line end with which a key comes out of a file; None for an empty one."""
    text = key.get_secret_value().strip() if key is not None else ""
    return SecretStr(text) if text else None


Key = Annotated[SecretStr | None, AfterValidator(_bare)]


class ChannelKeys(BaseModel):
    """A key each; a vendor without one is not asked. `problem` says why the secret that holds them cannot be read."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    kakao: Key = None
    naver_id: Key = None
    naver_secret: Key = None
    tourapi: Key = None
    nts: Key = None
    google_places: Key = None
    perplexity: Key = None
    problem: str | None = None


def given_keys(settings: Settings) -> ChannelKeys:
    """The keys that the settings hold by value."""
    return ChannelKeys(
        kakao=settings.kakao_api_key,
        naver_id=settings.naver_client_id,
        naver_secret=settings.naver_client_secret,
        tourapi=settings.tourapi_key,
        nts=settings.nts_key,
        google_places=settings.google_places_api_key,
        perplexity=settings.perplexity_api_key,
    )


async def channel_keys(settings: Settings) -> ChannelKeys:
    """The keys of the settings; those not given by value come from the JSON object in `CHANNEL_KEYS_SECRET_ARN`.

    Never raises: collecting goes on with the channels that need no key.
    """
    given = given_keys(settings)
    if not settings.channel_keys_secret_arn:
        return given
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        held = await asyncio.to_thread(secret, None, settings.channel_keys_secret_arn)
        stored = ChannelKeys.model_validate(json.loads(held.get_secret_value() if held else "{}"))
    except GetParameterError as error:
        problem = f"the secret of the keys cannot be read: {type(error).__name__}"
    except (ValueError, ValidationError):
        problem = "the secret of the keys is not a JSON object of texts"
    else:
        return stored.model_copy(update=given.model_dump(exclude_none=True))
    return given.model_copy(update={"problem": problem})
