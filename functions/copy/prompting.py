"""The prompts: files of one version, with the facts fenced in as data."""

import json
from pathlib import Path
from typing import Any

from shared.places.models import ConfirmedFacts
from shared.prose.quotable import is_plain, plain_text
from shared.prose.texts import shown

# Named in every copy. A prompt that has written a stored text is never changed: a new wording is a new version.
PROMPT_VERSION = "v2"
_FILES = Path(__file__).parent / "prompts"
# What no sentence says: the page shows them in fields of their own.
_NOT_TOLD = frozenset(["geo", "website", "sns", "business_number"])


def rules() -> str:
    """The instruction of every call."""
    return _read("rules")


def write_request(facts: ConfirmedFacts) -> str:
    """Asks for the page."""
    return _filled("write", facts=_told(facts))


def rewrite_request(facts: ConfirmedFacts, sentences: list[dict[str, Any]]) -> str:
    """Asks for other sentences in place of these."""
    return _filled("rewrite", facts=_told(facts), sentences=sentences)


def _read(name: str) -> str:
    return (_FILES / f"{PROMPT_VERSION}_{name}.txt").read_text(encoding="utf-8")


def _filled(name: str, **data: Any) -> str:
    """The prompt with each `{name}` replaced once; nothing inside the data is looked at again."""
    before, *rest = _read(name).split("{")
    parts = [before]
    for piece in rest:
        field, _, after = piece.partition("}")
        parts += [fenced(data[field]), after]
    return "".join(parts)


def fenced(value: Any) -> str:
    """The value as JSON in which no tag can begin or end."""
    return json.dumps(value, ensure_ascii=False, indent=1).replace("<", "\\u003c").replace(">", "\\u003e")


def _told(facts: ConfirmedFacts) -> dict[str, Any]:
    """The facts a text may be made of: without addresses of the web and without what speaks to a model."""
    told = {key: _plain(fact.value) for key, fact in sorted(facts.facts.items()) if key not in _NOT_TOLD}
    return {key: value for key, value in told.items() if value not in (None, [], {})}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, list):
        return [plain for part in value if (plain := _plain(part)) is not None]
    if isinstance(value, dict):
        if "name" in value and not is_plain(shown(str(value["name"]))):
            return None  # a line of a menu that is none
        return {key: _plain(part) for key, part in value.items()}
    return value
