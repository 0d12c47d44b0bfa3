"""The development login of a data folder: an administrator that exists on this machine and nowhere else."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

import asyncpg

from shared.identity.passwords import hash_password
from shared.identity.users import EmailTakenError, create_user

EMAIL = "operator@web4ai.localhost"


@dataclass(frozen=True)
class Login:
    """Made at random with the data folder, kept in it with mode 0600."""

    email: str
    password: str
    jwt_secret: str

    def __repr__(self) -> str:
        return f"Login({self.email})"


def data_login(data_dir: Path) -> Login:
    """The folder's login, made when it has none yet."""
    path = data_dir / "login.json"
    try:
        return Login(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        pass
    login = Login(EMAIL, secrets.token_urlsafe(18), secrets.token_urlsafe(48))
    partial = path.with_suffix(".partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(login), file)
    partial.replace(path)
    return login


async def ensure_user(database_url: str, login: Login) -> None:
    """The login's administrator, made once."""
    conn = await asyncpg.connect(database_url, timeout=10)
    try:
        await create_user(
            conn, email=login.email, password_hash=await hash_password(login.password), role="admin"
        )
    except EmailTakenError:
        pass  # made by an earlier start
    finally:
        await conn.close()
