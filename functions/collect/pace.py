"""The gate of the channels over PostgreSQL: whose turn it is, and which vendor has asked to be left alone."""

from datetime import timedelta
from pathlib import Path

from functions.collect.channels.vendor import VendorFailure
from functions.collect.diagnostics import DIAGNOSTIC_CODES, DiagnosticCode
from shared.runtime import JobContext
from shared.sql import Statements

SQL = Statements(Path(__file__).parent / "sql")


class Pace:
    """`Gate` for one job: each call borrows the job's connection for one statement that commits by itself."""

    def __init__(self, ctx: JobContext) -> None:
        self._ctx = ctx

    async def turn(self, channel: str, *, every: float, at_most: float) -> float:
        """See `Gate.turn`."""
        async with self._ctx.reading() as conn:
            if every > 0:
                wait = await conn.fetchval(SQL.take_turn, channel, every, at_most)
                if wait is not None:
                    return float(wait)
            closing = await conn.fetchrow(SQL.closing, channel)
        if closing is not None:
            code = _code(closing["closed_code"])
            raise VendorFailure(
                code,
                f"closed for everybody, {closing['seconds']:.0f} s to go",
                retryable=code == "rate_limited",
            )
        if every > 0:
            raise VendorFailure("rate_limited", f"no turn within {at_most:.0f} s", retryable=True)
        return 0.0

    async def close(self, channel: str, code: DiagnosticCode, how_long: timedelta) -> None:
        """See `Gate.close`."""
        async with self._ctx.reading() as conn:
            await conn.execute(SQL.close_channel, channel, code, how_long.total_seconds())


def _code(stored: str) -> DiagnosticCode:
    return stored if stored in DIAGNOSTIC_CODES else "rate_limited"  # type: ignore[return-value]
