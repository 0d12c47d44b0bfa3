"""Ids of jobs: UUIDs of version 7 (RFC 9562, 5.7)."""

import os
import time
from uuid import UUID

_VERSION_AND_VARIANT = 0x7 << 76 | 0b10 << 62
_RANDOM = (1 << 76) - 1 & ~(0b11 << 62)  # the bits that neither time, version nor variant take


def new_ids(count: int) -> list[UUID]:
    """As many fresh ids, which begin with the milliseconds since 1970 and are random from there on.

    Jobs of one time then stand side by side in the primary key's index, and a batch touches few of its pages however many jobs
    are over. Nothing is decided by that time: an id from a wrong clock is only further away.
    """
    milliseconds = (time.time_ns() // 1_000_000 & 0xFFFF_FFFF_FFFF) << 80 | _VERSION_AND_VARIANT
    noise = os.urandom(10 * count)
    return [
        UUID(int=milliseconds | int.from_bytes(noise[at : at + 10], "big") & _RANDOM)
        for at in range(0, 10 * count, 10)
    ]


def new_id() -> UUID:
    """One of them."""
    return new_ids(1)[0]
