"""Keys of providers."""

import asyncio

from pydantic import SecretStr

from shared.providers.failures import ProviderFailure
from shared.secrets import secret


async def api_key(value: SecretStr | None, arn: str | None) -> SecretStr | None:
    """The key given by value or by the ARN of its secret; None when the deployment has none.

    Raises `ProviderFailure` (`auth`) when there is to be one and it cannot be read: work that can go on without the
    provider then does.
    """
    if value is not None or not arn:
        return value
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        found = await asyncio.to_thread(secret, value, arn)
    except GetParameterError as error:
        raise ProviderFailure("auth", f"the key's secret cannot be read: {type(error).__name__}") from None
    return found
