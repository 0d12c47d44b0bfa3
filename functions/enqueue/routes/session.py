"""Logging in."""

from functions.enqueue.shapes import SessionRequest, SessionView
from shared.db import NotConfiguredError
from shared.http_api.database import database
from shared.http_api.entry import new_router
from shared.http_api.errors import ApiError
from shared.identity.passwords import verify_password
from shared.identity.tokens import issue_token
from shared.identity.users import find_login
from shared.secrets import secret
from shared.settings import settings

router = new_router()


@router.post("/session", summary="Log in", tags=["session"])
async def create_session(body: SessionRequest) -> SessionView:
    """Email and password for a token. An unknown address and a wrong password are answered alike and take as long."""
    config = settings()
    key = secret(config.jwt_secret, config.jwt_secret_arn)
    if key is None:
        raise NotConfiguredError("set JWT_SECRET, or JWT_SECRET_ARN to the secret that holds it")
    async with database() as conn:
        found = await find_login(conn, body.email)
    user, password_hash = found or (None, None)
    if not await verify_password(password_hash, body.password) or user is None:
        raise ApiError(401, "wrong_login", "Email or password is wrong")
    token = issue_token(user, key, issuer=config.jwt_issuer, minutes=config.token_minutes)
    return SessionView(
        token=token.text,
        expires_at=token.expires_at,
        user_id=user.user_id,
        role=user.role,
        locale=user.locale,
    )
