"""Passwords, kept as argon2id hashes. Hashing takes some 50 ms of CPU on purpose: it runs in a thread."""

import asyncio
import secrets
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

PASSWORD_SHORTEST = 10
PASSWORD_LONGEST = 200  # characters; longer ones would only buy hashing time

_hasher = PasswordHasher()


async def hash_password(password: str) -> str:
    """The password's hash with its salt and cost."""
    return await asyncio.to_thread(_hasher.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Whether the password is the hash's. With no hash the answer is False and takes as long."""
    return await asyncio.to_thread(_verify, password_hash, password)


def _verify(password_hash: str | None, password: str) -> bool:
    try:
        _hasher.verify(password_hash or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


@lru_cache(maxsize=1)
def _nobodys_hash() -> str:
    """A hash of a password nobody has, verified where there is no user, so that time tells nothing."""
    return _hasher.hash(secrets.token_urlsafe(32))
