"""Rules of the queue that no single run shows: the database's clock alone, one way to connect, no schema change at a start."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUEUE = ("shared/jobs", "shared/runtime", "functions/claimer", "functions/reaper")
OURS = ("shared", "functions")


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def statements() -> Iterator[tuple[str, str]]:
    """Every statement our functions send, and those inside the queue's own functions; without comments."""
    paths = [p for folder in OURS for p in sorted((ROOT / folder).rglob("*.sql"))]
    for path in [*paths, *sorted((ROOT / "migrations").glob("0*.sql"))]:
        yield str(path.relative_to(ROOT)), re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))


def calls(tree: ast.Module) -> Iterator[str]:
    """The dotted names of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_no_clock_but_the_databases_decides_about_a_job() -> None:
    wall = re.compile(r"(^|\.)(now|utcnow|today|time_ns|localtime|gmtime)$|^time\.time$")
    found = [(name, call) for name, tree in modules(*QUEUE) for call in calls(tree) if wall.search(call)]
    # An id says when it was made, and nothing is decided by that.
    assert set(found) <= {("shared/jobs/ids.py", "time.time_ns")}


def test_every_connection_of_a_function_is_made_in_one_place_which_sets_its_time_limits() -> None:
    opens = re.compile(r"^asyncpg\.(connect|create_pool)|^psycopg|\.create_pool$")
    assert {name for name, tree in modules(*OURS) for call in calls(tree) if opens.search(call)} == {
        "shared/db.py"
    }
    source = (ROOT / "shared/db.py").read_text(encoding="utf-8")
    assert "command_timeout=" in source
    assert "timeout=settings.db_connect_timeout" in source
    assert "server_settings" not in source, "a pooler in transaction mode refuses start-up settings"


def test_no_function_listens_and_none_keeps_a_lock_of_its_session() -> None:
    """A dead LISTEN is silent, and a session's lock stays with a pooler; the only advisory lock ends with its transaction."""
    for name, text in statements():
        assert not re.search(r"\b(UN)?LISTEN\b|pg_(try_)?advisory_lock\b|\bNOWAIT\b", text, re.IGNORECASE), (
            name
        )
    heard = [name for name, tree in modules(*OURS) for call in calls(tree) if call.endswith("add_listener")]
    assert heard == []


def test_no_function_changes_the_schema_when_it_starts_or_runs() -> None:
    change = re.compile(
        r"^\s*(CREATE|ALTER|DROP|TRUNCATE|REINDEX|VACUUM|CLUSTER)\b", re.IGNORECASE | re.MULTILINE
    )
    assert [name for name, text in statements() if name.startswith(OURS) and change.search(text)] == []


def test_nothing_is_pickled() -> None:
    """What a job says is JSON or text: an exception of a class that is gone can still be read."""
    imported = {
        alias.name
        for _, tree in modules(*OURS)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imported & {"pickle", "marshal", "shelve", "dill", "cloudpickle"}


def test_a_key_that_is_taken_is_never_an_error_nor_an_update_of_the_job_that_has_it() -> None:
    inserts = {
        name: text for name, text in statements() if "INSERT INTO jobs" in text and name.startswith("shared")
    }
    assert set(inserts) >= {
        "shared/jobs/sql/enqueue.sql",
        "shared/jobs/sql/enqueue_many.sql",
        "shared/jobs/sql/open_graph.sql",
    }
    for name, text in inserts.items():
        assert re.search(r"ON CONFLICT[^;]*DO NOTHING", text, re.DOTALL), name
        assert "DO UPDATE" not in text, name


def test_no_statement_locks_and_limits_where_a_join_may_run_it_again() -> None:
    """`IN (SELECT … LIMIT … SKIP LOCKED)` may be executed once a row; into an array or a materialised step it is once."""
    found = [(name, start, text) for name, text in statements() for start in _subqueries(text)]
    limited = [
        (name, text[:start].rstrip())
        for name, start, text in found
        if _locks_some(text[start : _end(text, start)])
    ]
    assert len(limited) >= 4
    for name, before in limited:
        assert before.endswith(("ARRAY", "MATERIALIZED")), f"{name}: {before[-80:]}"


def _subqueries(text: str) -> Iterator[int]:
    return (m.start() for m in re.finditer(r"\(\s*SELECT", text))


def _end(text: str, start: int) -> int:
    depths = itertools.accumulate({"(": 1, ")": -1}.get(c, 0) for c in text[start:])
    return start + next(n for n, depth in enumerate(depths) if depth == 0)


def _locks_some(subquery: str) -> bool:
    """Itself, and not in a subquery of its own."""
    own = re.sub(r"\(\s*SELECT.*", "", subquery[1:], flags=re.DOTALL) if "SKIP LOCKED" in subquery else ""
    return "SKIP LOCKED" in own and "LIMIT" in own
