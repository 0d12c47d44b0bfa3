"""What handlers raise and return, at its oddest: the end is written all the same, each job's own, and says what it was."""

import asyncio
import datetime
import decimal
import threading
from collections.abc import Callable
from types import MappingProxyType
from typing import Any
from uuid import UUID

from shared.db import Connection
from shared.jobs.errors import PermanentJobError, Snooze
from shared.jobs.models import Job, JobStatus
from shared.runtime import JobContext, Outcome, job_handler
from tests.db.runtime.conftest import Sandbox
from tests.db.runtime.test_handler import error_of, spec, tasks
from tests.db.steps import job, status


class Mute(Exception):
    """Neither says nor shows anything."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Silent(PermanentJobError):
    def __str__(self) -> str:
        return None  # type: ignore[return-value] # noqa: PLE0307


class Outside(BaseException):
    """No Exception: what `except Exception` does not see."""


class Shy:
    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


def group() -> Exception:
    return ExceptionGroup("several", [ValueError("a\x00"), Mute()])


RAISED: dict[str, tuple[Callable[[], BaseException], str]] = {
    "an error that cannot be printed": (Mute, "Mute: (Mute)"),
    "a permanent one whose text is none": (Silent, "Silent: (Silent)"),
    "ten million characters": (lambda: ValueError("x" * 10_000_000), "ValueError: xxx"),
    "arguments that are no text": (lambda: KeyError(b"\xff\x00", {1: object}), "KeyError: (b"),
    "arguments that cannot be printed": (lambda: ValueError(Shy()), "ValueError: (ValueError)"),
    "NUL and half a character": (lambda: ValueError("a\x00b\udc00c"), "ValueError: a\ufffdb\ufffdc"),
    "a group": (group, "ExceptionGroup: several"),
    "one from outside": (Outside, "Outside"),
    "an interrupt": (KeyboardInterrupt, "RuntimeError: the handler raised KeyboardInterrupt"),
    "an exit": (lambda: SystemExit(3), "RuntimeError: the handler raised SystemExit"),
    "a generator's end": (GeneratorExit, "GeneratorExit"),
    "an iterator's end": (lambda: StopIteration(1), "RuntimeError: "),
    "no memory": (MemoryError, "MemoryError"),
    "too deep": (RecursionError, "RecursionError"),
    "a cancellation of its own": (asyncio.CancelledError, "CancelledError: "),
}


async def test_whatever_a_handler_raises_is_kept_as_text_and_ends_its_own_job_alone(
    conn: Connection, sandbox: Sandbox
) -> None:
    odd = list(RAISED.values())

    async def handle(job: Job, ctx: JobContext) -> dict[str, Any]:
        if ctx.payload.n < len(odd):
            raise odd[ctx.payload.n][0]()
        return {"ok": True}

    refs = await tasks(conn, *[f'{{"n": {n}}}' for n in range(len(odd) + 2)])
    handler = job_handler(spec(), handle)
    assert await sandbox.invoke(handler, *refs) == {"started": len(refs)}
    for (what, (_, says)), ref in zip(RAISED.items(), refs, strict=False):
        error = await error_of(conn, ref)
        assert error.startswith(says), what
        assert len(error) <= 2000, what
        assert await status(conn, ref.job_id) == ("DEAD" if says.startswith("Silent") else "PENDING"), what
    assert {await status(conn, r.job_id) for r in refs[-2:]} == {"DONE"}


def circle() -> Any:
    """Lists that hold each other twice over: to walk it all would take longer than there is time."""
    first: list[Any] = []
    second = {"up": first, "again": first}
    first += [second, second]
    return second


def shared() -> Any:
    """No circle, and yet two to the fiftieth values."""
    value: Any = []
    for _ in range(50):
        value = [value, value]
    return value


def deep() -> Any:
    value: Any = 1
    for _ in range(20_000):
        value = [value]
    return value


RESULTS: dict[str, tuple[Callable[[], Any], Callable[[Any], bool]]] = {
    "a set": (lambda: {"v": {1}}, lambda r: r["v"] == [1]),
    "a time": (lambda: {"v": datetime.datetime(2026, 1, 2)}, lambda r: r["v"].startswith("2026-01-02")),
    "no number": (lambda: {"v": [float("nan"), float("-inf")]}, lambda r: r["v"] == [None, None]),
    "bytes": (lambda: {"v": b"\x00\xff"}, lambda r: isinstance(r["v"], str)),
    "a decimal and an id": (
        lambda: {"v": [decimal.Decimal("1.5"), UUID(int=7)]},
        lambda r: r["v"] == ["1.5", str(UUID(int=7))],
    ),
    "what cannot be printed": (lambda: {"v": Shy(), Shy(): 1}, lambda r: r == {"v": "(Shy)", "(Shy)": 1}),
    "NUL and half a character": (
        lambda: {"a\x00": "\ud800", "l": ["\x00"]},
        lambda r: r == {"a\ufffd": "\ufffd", "l": ["\ufffd"]},
    ),
    "a circle": (lambda: {"v": circle()}, lambda r: "values" in r["dropped"]),
    "the same value over and over": (lambda: {"v": shared()}, lambda r: "values" in r["dropped"]),
    "nested without end": (lambda: {"v": deep()}, lambda r: "nested too deep" in str(r)),
    "too many bytes": (lambda: {"v": "가" * 100_000}, lambda r: "300008 bytes" in r["dropped"]),
    "a view": (lambda: MappingProxyType({"v": 1}), lambda r: r == {"v": 1}),
}


async def test_whatever_a_handler_returns_is_stored_as_far_as_it_can_be(
    conn: Connection, sandbox: Sandbox
) -> None:
    odd = list(RESULTS.values())

    async def handle(job: Job, ctx: JobContext) -> Any:
        return odd[ctx.payload.n][0]()

    refs = await tasks(conn, *[f'{{"n": {n}}}' for n in range(len(odd))])
    await sandbox.invoke(job_handler(spec(), handle), *refs)
    for (what, (_, fits)), ref in zip(RESULTS.items(), refs, strict=True):
        found = await job(conn, ref.job_id)
        assert found.status is JobStatus.DONE, what
        assert fits(found.result), what


async def test_a_result_that_fails_while_it_is_read_is_its_own_jobs_failure(
    conn: Connection, sandbox: Sandbox
) -> None:
    class Lazy(dict[str, Any]):
        def items(self) -> Any:
            raise OSError("gone")

    async def handle(job: Job, ctx: JobContext) -> Any:
        match ctx.payload.do:
            case "lazy":
                return Lazy(v=1)
            case "inside":
                return {"v": [Lazy(v=1)]}
            case "after":
                return Outcome({}, (int("x") for _ in range(1)))  # type: ignore[arg-type]
        return {}

    *odd, fine = await tasks(conn, '{"do": "lazy"}', '{"do": "inside"}', '{"do": "after"}', "{}")
    await sandbox.invoke(job_handler(spec(), handle), *odd, fine)
    assert [await status(conn, r.job_id) for r in (*odd, fine)] == ["PENDING"] * 3 + ["DONE"]
    assert [(await error_of(conn, r)).split(":")[0] for r in odd] == ["OSError", "OSError", "ValueError"]


async def test_a_snoozes_reason_is_cleaned_and_bounded_like_an_error(
    conn: Connection, sandbox: Sandbox
) -> None:
    async def handle(job: Job, ctx: JobContext) -> Any:
        raise Snooze(60, "a\x00\udfff" + "x" * 100_000)

    [ref] = await tasks(conn, "{}")
    await sandbox.invoke(job_handler(spec(), handle), ref)
    found = await job(conn, ref.job_id)
    assert found.status is JobStatus.PENDING
    assert (found.progress or {})["waits_for"].startswith("a\ufffd\ufffdx")
    assert len((found.progress or {})["waits_for"]) <= 2000


async def test_an_interrupt_in_a_thread_of_the_handlers_is_an_error_like_any_other(
    conn: Connection, sandbox: Sandbox
) -> None:
    main = threading.get_ident()

    def work() -> None:
        assert threading.get_ident() != main
        raise SystemExit(1)

    async def handle(job: Job, ctx: JobContext) -> Any:
        if ctx.payload.do == "exit":
            await asyncio.to_thread(work)
        return {}

    bad, fine = await tasks(conn, '{"do": "exit"}', "{}")
    await sandbox.invoke(job_handler(spec(), handle), bad, fine)
    assert [await status(conn, r.job_id) for r in (bad, fine)] == ["PENDING", "DONE"]
