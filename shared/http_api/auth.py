"""Who calls: the bearer token of a request, held against the database."""

from contextvars import ContextVar

from shared.db import Connection, NotConfiguredError
from shared.http_api.errors import forbidden, unauthorised
from shared.identity.tokens import TokenError, read_token
from shared.identity.users import User, get_user
from shared.secrets import secret
from shared.settings import Settings

_user: ContextVar[User | None] = ContextVar("user", default=None)


def current_user() -> User:
    """The caller. Raises the 401 when nobody was authenticated."""
    user = _user.get()
    if user is None:
        raise unauthorised()
    return user


def current_admin() -> User:
    """The caller, who is an administrator. Raises the 401 or the 403."""
    user = current_user()
    if not user.is_admin:
        raise forbidden()
    return user


def set_user(user: User | None) -> None:
    """Name the caller of the request that is answered now; None ends it."""
    _user.set(user)


async def authenticate(conn: Connection, authorization: str | None, settings: Settings) -> User:
    """The user whose token the header carries, if it is at the user's `token_version`. Raises the 401."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthorised()
    key = secret(settings.jwt_secret, settings.jwt_secret_arn)
    if key is None:
        raise NotConfiguredError("set JWT_SECRET, or JWT_SECRET_ARN to the secret that holds it")
    try:
        claims = read_token(token.strip(), key, issuer=settings.jwt_issuer)
    except TokenError:
        raise unauthorised() from None
    user = await get_user(conn, claims.user_id)
    if user is None or user.disabled_at is not None or user.token_version != claims.version:
        raise unauthorised()
    return user
