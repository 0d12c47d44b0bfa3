"""What a reader of a page sees, as lines: a block a line, a table's row a line with wide spaces between its cells."""

import re
from itertools import islice

from lxml import etree

from functions.collect.website.document import Document, inner_text
from shared.places.keys import clean_text

# Not shown, or shown as what does not hold: a price that is struck out.
_HIDDEN = frozenset(
    "script style noscript noframes template svg head select textarea iframe object del s strike".split()  # noqa: SIM905
)
_INLINE = frozenset(
    "a abbr b bdi bdo cite code em font i img ins kbd label mark q small span strong sub sup time u wbr".split()  # noqa: SIM905
)
CELL = "\u2003"  # between two cells of a row; white space to whoever does not look for it
_BOUNDARY = "\x1f"  # the same before white space is flattened
_BAR = re.compile(r"(?<=\s)[ㅣᅵ│┃｜](?=\s)")  # the vowel that people type for a bar
_CELLS = frozenset(["td", "th", "dd"])
_CELL_CHARACTERS = 80  # a cell with more is a layout's, with lines of its own
_CHARACTERS = 200_000
_EVENTS = 200_000  # beginnings and ends of elements
_LINES = 5_000
_LINE_CHARACTERS = 500


def lines(document: Document) -> list[str]:
    """The page's visible text, a block a line; cells of one table row on one line, with `CELL` between them."""
    walk = _Walk()
    for event, element in islice(etree.iterwalk(document.root, events=("start", "end")), _EVENTS):
        if event == "start":
            walk.enter(element)
        else:
            walk.leave(element)
        if walk.size > _CHARACTERS:
            break
    return _clean("".join(walk.pieces)[:_CHARACTERS])


class _Walk:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self._hidden: etree._Element | None = None
        self._cell: etree._Element | None = None  # the short cell in which blocks are no lines

    def enter(self, element: etree._Element) -> None:
        if self._hidden is not None:
            return
        if element.tag in _HIDDEN or _is_hidden(element):
            self._hidden = element
            return
        self._add(self._break(element, before=True))
        if self._cell is None and element.tag in _CELLS and len(inner_text(element, 81)) <= _CELL_CHARACTERS:
            self._cell = element
        self._add(_flat(element.text))

    def leave(self, element: etree._Element) -> None:
        if self._hidden is element:
            self._hidden = None
        elif self._hidden is not None:
            return
        else:
            self._add(self._break(element, before=False))
            if self._cell is element:
                self._cell = None
        self._add(_flat(element.tail))

    def _break(self, element: etree._Element, *, before: bool) -> str:
        if element.tag in _INLINE:
            return ""
        if element.tag in _CELLS and (self._cell is None or self._cell is element):
            return _BOUNDARY
        if self._cell is not None:
            return " "
        return _BOUNDARY if element.tag == "dt" and not before else "\n"

    def _add(self, piece: str) -> None:
        if piece:
            self.pieces.append(piece)
            self.size += len(piece)


def _flat(text: str | None) -> str:
    """White space of the source is no line of the page."""
    return re.sub(r"\s+", " ", text) if text else ""


def _is_hidden(element: etree._Element) -> bool:
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = element.get("style", "").replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def _clean(text: str) -> list[str]:
    written = (line[:_LINE_CHARACTERS] for line in text.split("\n") if line and not line.isspace())
    cleaned = map(_clean_line, islice(written, _LINES))
    return [line for line in cleaned if line]


def _clean_line(line: str) -> str:
    cells = (" ".join(clean_text(_BAR.sub("|", cell)).split()) for cell in line.split(_BOUNDARY))
    return CELL.join(cell for cell in cells if cell)
