"""Secrets by value or by the ARN of a Secrets Manager secret; the value is kept for five minutes, so a rotated one arrives."""

from pydantic import SecretStr

MAX_AGE_SECONDS = 300


def secret(value: SecretStr | None, arn: str | None) -> SecretStr | None:
    """The secret given by value, else the one `arn` names, else None. Raises Powertools' `GetParameterError`."""
    if value is not None:
        return value
    if not arn:
        return None
    from aws_lambda_powertools.utilities import parameters

    return SecretStr(str(parameters.get_secret(arn, max_age=MAX_AGE_SECONDS)))
