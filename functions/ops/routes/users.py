"""Users, made and logged out by administrators."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, ConfigDict, StringConstraints

from shared.http_api.auth import current_admin
from shared.http_api.database import database
from shared.http_api.entry import new_router
from shared.http_api.errors import ApiError, not_found
from shared.identity.passwords import PASSWORD_LONGEST, PASSWORD_SHORTEST, hash_password
from shared.identity.users import EmailTakenError, User, create_user, revoke_tokens
from shared.places.models import Locale

router = new_router()

Email = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, max_length=254, pattern=r"^[^@\s]{1,64}@[^@\s]+\.[^@\s.]+$", strict=True
    ),
]


class NewUser(BaseModel):
    """Who may log in."""

    model_config = ConfigDict(extra="forbid")

    email: Email
    password: Annotated[
        str, StringConstraints(min_length=PASSWORD_SHORTEST, max_length=PASSWORD_LONGEST, strict=True)
    ]
    role: Literal["member", "admin"] = "member"
    locale: Locale = "ko"


class UserView(BaseModel):
    """A user."""

    user_id: UUID
    email: str
    role: Literal["member", "admin"]
    locale: Locale

    @classmethod
    def of(cls, user: User) -> "UserView":
        """The user's view."""
        return cls(user_id=user.user_id, email=user.email, role=user.role, locale=user.locale)


class Revoked(BaseModel):
    """Tokens below `token_version` are no longer good."""

    user_id: UUID
    token_version: int


@router.post("/users", summary="Make a user", tags=["users"], status_code=201)
async def make_user(body: NewUser) -> Response[UserView]:
    """409 when the address is taken."""
    current_admin()
    password_hash = await hash_password(body.password)
    async with database() as conn:
        try:
            user = await create_user(
                conn, email=body.email, password_hash=password_hash, role=body.role, locale=body.locale
            )
        except EmailTakenError:
            raise ApiError(409, "email_taken", "Somebody has that address already") from None
    return Response(status_code=201, content_type="application/json", body=UserView.of(user))


@router.post("/users/<user_id>/revoke", summary="Log a user out everywhere", tags=["users"])
async def revoke_user(user_id: UUID) -> Revoked:
    """Every token given so far is no longer good."""
    current_admin()
    async with database() as conn:
        version = await revoke_tokens(conn, user_id)
    if version is None:
        raise not_found("user")
    return Revoked(user_id=user_id, token_version=version)
