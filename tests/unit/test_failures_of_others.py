"""docs/FAILURES_OF_OTHERS.md names tests: each must exist, and no row may be without one."""

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "FAILURES_OF_OTHERS.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| #", "| Elsewhere", "| Lambda"))
]


@lru_cache
def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_the_page_has_the_twenty_seven_and_the_others() -> None:
    numbers = [int(found[1]) for row in ROWS if (found := re.match(r"\| (\d+) \|", row))]
    assert numbers == list(range(1, 28))
    assert len(ROWS) == 27 + 17 + 6


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:40])
def test_every_row_is_shown_by_tests_that_exist(row: str) -> None:
    shown_by = row.rstrip(" |").rsplit(" | ", 1)[1]
    named = NAMED.findall(shown_by)
    assert named
    assert NAMED.sub("", shown_by).strip(" ,") == "", "the last column names tests and nothing else"
    for path, name in named:
        assert name in names_in(path), f"{path} has no {name}"
