"""Other ways to build the governor, made from the one that stands: each replaces a piece of its functions' text."""

from collections.abc import Awaitable, Callable

from shared.db import Connection

_NO_FLUSH = "set_config('synchronous_commit', 'off', true)"
_ASKED_FOR = ("WHILE NOT pg_try_advisory_xact_lock", "END LOOP;\n            v_locked := true;")
_QUEUED = "PERFORM pg_advisory_xact_lock(1903521652, v_meter.id);"
_READING = "    LOOP\n        v_now := clock_timestamp();"


async def _replaced(conn: Connection, function: str, old: str, new: str) -> None:
    text = await conn.fetchval("SELECT pg_get_functiondef($1::regproc)", function)
    assert old in text, f"{function} has no {old}"
    await conn.execute(text.replace(old, new))


async def _locked_by(conn: Connection, statement: str) -> None:
    """Another way to take the meter's lock."""
    text = await conn.fetchval("SELECT pg_get_functiondef('quota_reserve'::regproc)")
    start = text.index(_ASKED_FOR[0])
    end = text.index(_ASKED_FOR[1], start) + len("END LOOP;")
    await conn.execute(text[:start] + statement + text[end:])


async def as_it_is(conn: Connection) -> None:
    """Read first, an advisory lock asked for again and again, slots, no flush but for money."""


async def queued_lock(conn: Connection) -> None:
    """The lock queued for: it is handed to a session that has yet to wake."""
    await _locked_by(conn, _QUEUED)


async def row_lock(conn: Connection) -> None:
    """The meter's row locked instead of an advisory lock."""
    await _locked_by(conn, "PERFORM 1 FROM quota_meters m WHERE m.meter_id = v_meter.id FOR NO KEY UPDATE;")


async def counter_row(conn: Connection) -> None:
    """One row that counts all, updated with each reservation, as a token bucket would."""
    await conn.execute("ALTER TABLE quota_meters ADD COLUMN n bigint NOT NULL DEFAULT 0")
    await conn.execute("ALTER TABLE quota_meters SET (fillfactor = 10)")
    await _locked_by(conn, "UPDATE quota_meters m SET n = n + 1 WHERE m.meter_id = v_meter.id;")


async def read_under_lock(conn: Connection) -> None:
    """All read under the lock, which new sessions then hold for as long as they plan."""
    await _replaced(conn, "quota_reserve", _READING, f"    {_QUEUED}\n    v_locked := true;\n{_READING}")


async def flushed(conn: Connection) -> None:
    """Every commit flushed: reservers of one meter then take turns at the disk."""
    for function in ("quota_reserve", "quota_count"):
        await _replaced(conn, function, _NO_FLUSH, "set_config('synchronous_commit', 'on', true)")


async def log_summed(conn: Connection) -> None:
    """No slots: every reservation of the window read and summed with each new one."""
    await conn.execute("CREATE INDEX log_by_time ON quota_reservations (meter_id, lease_until)")
    await _replaced(
        conn,
        "quota_reserve",
        "WHERE r.meter_id = v_meter.id AND r.sent_at IS NULL AND r.lease_until > v_now - interval '2 seconds'",
        "WHERE r.meter_id = v_meter.id AND r.lease_until > v_now - interval '55 seconds'",
    )


async def settled_in_slot(conn: Connection) -> None:
    """The counts corrected in the flushed transaction that settles: its slot is locked for a flush."""
    await _replaced(
        conn,
        "quota_settle",
        "PERFORM quota_charge(v_sent",
        "UPDATE quota_slots s SET tokens = s.tokens - 1 WHERE s.meter_id = p_meter"
        " AND s.slot = quota_slot(v_sent, interval '1 minute');\n    PERFORM quota_charge(v_sent",
    )


async def one_month_row(conn: Connection) -> None:
    """The month's money in one row instead of sixteen."""
    await _replaced(conn, "quota_charge", "floor(random() * 8) + CASE WHEN p_flushed THEN 8 ELSE 0 END", "0")


VARIANTS: dict[str, Callable[[Connection], Awaitable[None]]] = {
    "as it is": as_it_is,
    "queued lock": queued_lock,
    "row lock": row_lock,
    "counter row": counter_row,
    "all read under the lock": read_under_lock,
    "every commit flushed": flushed,
    "log summed": log_summed,
    "settled in the slot": settled_in_slot,
    "one row a month": one_month_row,
}
