"""Logging in, and what a token is good for."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import jwt
import pytest

from shared.identity.users import User
from tests.unit.api.conftest import JWT_SECRET, Api


def forged(user: User, **changes: object) -> str:
    now = datetime.now(UTC)
    claims = {
        "sub": str(user.user_id),
        "iss": "web4ai",
        "aud": "web4ai-api",
        "iat": now,
        "exp": now + timedelta(minutes=5),
        "ver": user.token_version,
        "role": "admin",
        **changes,
    }
    return jwt.encode(
        {name: value for name, value in claims.items() if value is not None}, JWT_SECRET, "HS256"
    )


def test_email_and_password_give_a_token_that_opens_the_api(api: Api) -> None:
    api.user("mina@example.com", password="correct horse battery")
    answer = api.call(
        "POST /session", body={"email": "Mina@Example.com", "password": "correct horse battery"}
    )
    assert answer.status == 200
    assert answer.json["role"] == "member"
    assert api.call("GET /places", token=answer.json["token"]).status == 200


@pytest.mark.parametrize(
    "login",
    [("mina@example.com", "wrong password"), ("nobody@example.com", "correct horse battery")],
    ids=["wrong password", "unknown address"],
)
def test_a_wrong_login_is_answered_alike_whatever_was_wrong(api: Api, login: tuple[str, str]) -> None:
    api.user("mina@example.com", password="correct horse battery")
    answer = api.call("POST /session", body={"email": login[0], "password": login[1]})
    assert (answer.status, answer.json["error"]["code"]) == (401, "wrong_login")


def test_a_disabled_user_cannot_log_in_and_an_old_token_is_no_good(api: Api) -> None:
    user = api.user("mina@example.com", password="correct horse battery")
    token = api.token(user)
    api.sql("UPDATE users SET disabled_at = now()")
    login = {"email": "mina@example.com", "password": "correct horse battery"}
    assert api.call("POST /session", body=login).status == 401
    assert api.call("GET /places", token=token).status == 401


def test_a_login_without_a_password_names_the_field(api: Api) -> None:
    assert api.call("POST /session", body={"email": "a@b.c"}).fields == {("password", "required")}


@pytest.mark.parametrize(
    ("route", "path"),
    [
        ("GET /places", "/places"),
        ("POST /places", "/places"),
        ("GET /jobs/{job_id}", "/jobs/0b7c5b1e-6f6e-4a58-8f0e-0d2a6c1f9a11"),
        ("GET /ops", "/ops"),
        ("GET /jobs", "/jobs"),
        ("POST /users", "/users"),
    ],
)
def test_without_a_token_nothing_opens_before_anything_else_is_looked_at(
    api: Api, route: str, path: str
) -> None:
    answer = api.call(route, path, raw="not json")
    assert (answer.status, answer.json["error"]["code"]) == (401, "unauthorised")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": datetime.now(UTC) - timedelta(minutes=1)},
        {"iss": "somebody else"},
        {"aud": "another api"},
        {"ver": 99},
        {"ver": None},
        {"ver": True},
        {"exp": None},
        {"sub": str(uuid4())},
        {"sub": "not a uuid"},
    ],
    ids=[
        "over",
        "issuer",
        "audience",
        "version",
        "no version",
        "version no number",
        "no end",
        "unknown user",
        "no user",
    ],
)
def test_a_token_that_breaks_any_rule_is_refused(api: Api, member: User, changes: dict[str, object]) -> None:
    assert api.call("GET /places", token=forged(member)).status == 200
    assert api.call("GET /places", token=forged(member, **changes)).status == 401


def test_an_unsigned_token_or_one_signed_with_another_secret_is_refused(api: Api, member: User) -> None:
    claims = jwt.decode(forged(member), options={"verify_signature": False})
    unsigned = jwt.encode(claims, None, "none")  # type: ignore[arg-type]
    foreign = jwt.encode(claims, "another secret of thirty-two bytes and more", "HS256")
    for token in (unsigned, foreign, "", "x.y.z", "é"):
        assert api.call("GET /places", token=token).status == 401


def test_the_role_in_the_token_gives_nothing_the_database_does_not(api: Api, member: User) -> None:
    assert api.call("GET /ops", token=forged(member, role="admin")).status == 403


def test_a_revoked_token_is_no_good_and_a_new_one_is(api: Api, member: User, token: str, admin: str) -> None:
    path = f"/users/{member.user_id}/revoke"
    answer = api.call("POST /users/{user_id}/revoke", path, token=admin)
    assert answer.json == {"user_id": str(member.user_id), "token_version": 2}
    assert api.call("GET /places", token=token).status == 401
    assert api.call("GET /places", token=forged(member, ver=2)).status == 200


def test_an_administrator_makes_users_and_an_address_is_taken_once(api: Api, admin: str) -> None:
    body = {"email": "New@Example.com", "password": "correct horse battery", "locale": "en"}
    made = api.call("POST /users", token=admin, body=body)
    assert (made.status, made.json["email"], made.json["role"]) == (201, "new@example.com", "member")
    again = api.call("POST /users", token=admin, body=body)
    assert (again.status, again.json["error"]["code"]) == (409, "email_taken")
    login = {"email": "new@example.com", "password": "correct horse battery"}
    assert api.call("POST /session", body=login).status == 200
    stored = api.sql("SELECT password_hash FROM users WHERE email = 'new@example.com'")[0]["password_hash"]
    assert stored.startswith("$argon2id$")


def test_a_user_that_breaks_rules_is_refused_with_each_field_named(api: Api, admin: str) -> None:
    body = {"email": "no address", "password": "short", "role": "owner", "plan": "gold"}
    assert api.call("POST /users", token=admin, body=body).fields == {
        ("email", "must_match"),
        ("password", "too_short"),
        ("role", "must_be_one_of"),
        ("plan", "unknown_field"),
    }
