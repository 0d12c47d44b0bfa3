"""Writes `shared/http_api/openapi.json` from the routes of both HTTP functions: `python -m tools.openapi`."""

from functions.enqueue import handler as enqueue
from functions.ops import handler as ops
from shared.http_api.openapi import DOCUMENT, document, text


def main() -> None:
    """Overwrite the document."""
    described = document([enqueue.app, ops.app], enqueue.OPEN_ROUTES | ops.OPEN_ROUTES)
    DOCUMENT.write_text(text(described), encoding="utf-8")


if __name__ == "__main__":
    main()
