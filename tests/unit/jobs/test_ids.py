"""Ids of jobs: unique, of version 7, and in the order of their time."""

import time
from uuid import RFC_4122

from shared.jobs.ids import new_id, new_ids


def test_ids_are_of_version_7_and_none_is_like_another() -> None:
    ids = [*new_ids(5000), new_id()]
    assert len(set(ids)) == 5001
    assert {(i.version, i.variant) for i in ids} == {(7, RFC_4122)}


def test_an_id_begins_with_its_time() -> None:
    before = time.time_ns() // 1_000_000
    made = [i.int >> 80 for i in new_ids(3)]
    assert before <= min(made)
    assert max(made) <= time.time_ns() // 1_000_000


def test_every_bit_that_is_free_is_random() -> None:
    ones, all_ones = 0, (1 << 128) - 1
    for found in new_ids(500):
        ones |= found.int
        all_ones &= found.int
    free = (1 << 76) - 1 & ~(0b11 << 62)
    assert ones & free == free
    assert all_ones & free == 0
