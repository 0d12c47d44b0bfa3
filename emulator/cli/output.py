"""What a command prints: one JSON document on standard output with `--json`, tables and lines for people without.

With `--json` everything else goes to standard error, so that the document can be piped.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


class Failure(Exception):
    """A command could not do its work; the message says what is wrong and what to do.

    With `--json` the answer is `document`, or an error object with the message and `details`.
    """

    def __init__(self, message: str, *, code: int = 1, details: Any = None, document: Any = None) -> None:
        super().__init__(message)
        self.code = code
        error = {"message": message} if details is None else {"message": message, "details": details}
        self.document = {"error": error} if document is None else document


class Output:
    """Where a command speaks."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.people = Console(stderr=as_json, highlight=False, soft_wrap=True)

    def say(self, text: str, style: str = "") -> None:
        """A line for people."""
        self.people.print(Text(text, style=style))

    def aside(self, text: str) -> None:
        """How far the work is: on standard error, with and without `--json`."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def document(self, value: Any) -> None:
        """The command's answer, printed as JSON only with `--json`."""
        if self.as_json:
            sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")
            sys.stdout.flush()

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None) -> None:
        """A table for people; nothing with `--json`."""
        if self.as_json:
            return
        table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*("" if cell is None else str(cell) for cell in row))
        self.people.print(table)

    def pairs(self, values: Mapping[str, Any]) -> None:
        """Names and values for people, a value never folded, so that it can be copied; nothing with `--json`."""
        if self.as_json:
            return
        width = max(map(len, values), default=0) + 2
        for name, value in values.items():
            text = str(_plain(value)).replace("\n", "\n" + " " * width)
            self.people.print(Text.assemble((name.ljust(width), "bold"), text))

    def failure(self, failure: Failure) -> None:
        """The error for people, and as the document with `--json`."""
        Console(stderr=True, highlight=False, soft_wrap=True).print(Text(f"error: {failure}", style="red"))
        self.document(failure.document)


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, indent=2) if isinstance(value, dict | list) else value
