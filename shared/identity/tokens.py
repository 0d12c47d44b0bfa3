"""Bearer tokens: JWTs signed with HS256, which is the only algorithm ever accepted."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import jwt
from pydantic import SecretStr

from shared.identity.users import User

ALGORITHM = "HS256"
AUDIENCE = "web4ai-api"
SHORTEST_SECRET = 32  # bytes: HS256 signs with 256 bits
_LEEWAY = timedelta(seconds=10)  # of two machines' clocks


class TokenError(Exception):
    """The token is not one of ours, or no longer good."""


@dataclass(frozen=True)
class Token:
    """A token and when it ends."""

    text: str
    expires_at: datetime


@dataclass(frozen=True)
class Claims:
    """What a token says; it holds only while `version` is the user's `token_version`."""

    user_id: UUID
    version: int


def issue_token(user: User, secret: SecretStr, *, issuer: str, minutes: float) -> Token:
    """A token for the user, good for `minutes` or until the user's `token_version` is raised."""
    now = datetime.now(UTC).replace(microsecond=0)
    expires_at = now + timedelta(minutes=minutes)
    claims = {
        "sub": str(user.user_id),
        "iss": issuer,
        "aud": AUDIENCE,
        "iat": now,
        "exp": expires_at,
        "ver": user.token_version,
        "role": user.role,
    }
    return Token(jwt.encode(claims, _key(secret), algorithm=ALGORITHM), expires_at)


def read_token(text: str, secret: SecretStr, *, issuer: str) -> Claims:
    """The claims of a token of ours that has not ended. Raises `TokenError` without saying which rule failed."""
    key = _key(secret)
    try:
        claims = jwt.decode(
            text,
            key,
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            issuer=issuer,
            leeway=_LEEWAY,
            options={"require": ["sub", "iss", "aud", "iat", "exp", "ver"]},
        )
        version = claims["ver"]
        if not isinstance(version, int) or isinstance(version, bool):
            raise TokenError("not a token of ours")
        return Claims(UUID(claims["sub"]), version)
    except (jwt.InvalidTokenError, ValueError):
        raise TokenError("not a token of ours, or no longer good") from None


def _key(secret: SecretStr) -> bytes:
    key = secret.get_secret_value().encode()
    if len(key) < SHORTEST_SECRET:
        raise RuntimeError(f"the secret that signs tokens must have at least {SHORTEST_SECRET} bytes")
    return key
