"""Photos described by Gemini, in batches that fail one by one."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias
from uuid import UUID

from pydantic import BaseModel, field_validator

from functions.vision.measures import reduced
from shared.prose.quotable import is_plain
from shared.prose.suspects import suspects_in
from shared.providers.failures import FailureCode, ProviderFailure
from shared.providers.gemini import GeminiClient, ImagePart
from shared.providers.patience import with_patience
from shared.providers.told import text_of

PROMPT_VERSION = "v2"
BATCH = 8  # photos a call: about 9,000 tokens of pictures, and a failure costs eight descriptions at most
_OUTPUT_TOKENS = 12_000  # eight descriptions, and menus of some sixty lines among them
_ALT_LIMIT = 160  # characters
_SEEN = re.compile(r"\b(?:topp\w+|on top|made of \w+)", re.IGNORECASE)  # of a dish, not of a ranking
_KEPT_CHARACTERS = 500  # of any text of the model's
_NO_PRICE = 10**12  # won; what is beyond is none, and too long a number breaks whoever calculates with it
_INSTRUCTION = Path(__file__).parent / "prompts" / f"{PROMPT_VERSION}_describe.txt"

Kind = Literal["exterior", "interior", "product", "menu", "people", "other"]
Flag = Literal[
    "blurry",
    "dark",
    "people",
    "plate",
    "text_heavy",
    "watermark",
    "collage",
    "screenshot",
    "unrelated",
]
_UNFIT: frozenset[Flag] = frozenset(["plate", "watermark", "screenshot", "unrelated"])
# After one of these the next batch would fare no better.
_STOPPING: frozenset[FailureCode] = frozenset(
    ["quota_minute", "quota_day", "spend_limit", "budget", "auth", "model_retired", "bad_request"]
)


Load: TypeAlias = Callable[[UUID], Awaitable[bytes]]


class MenuLine(BaseModel):
    """A line of a menu that a photo shows, as the model reads it; `price` is in won."""

    name: str
    price: int | None

    @field_validator("name")
    @classmethod
    def _storable(cls, value: str) -> str:
        return text_of(value, _KEPT_CHARACTERS)

    @field_validator("price")
    @classmethod
    def _within_reach(cls, value: int | None) -> int | None:
        return None if value is None else min(max(value, -1), _NO_PRICE)


class Description(BaseModel):
    """What the model says of one photo."""

    index: int
    kind: Kind
    alt_ko: str
    alt_en: str
    quality: float
    hero_fit: float
    menu: list[MenuLine]
    flags: list[Flag]

    @field_validator("alt_ko", "alt_en")
    @classmethod
    def _storable(cls, value: str) -> str:
        return text_of(value, _KEPT_CHARACTERS)

    @field_validator("quality", "hero_fit")
    @classmethod
    def _within_bounds(cls, value: float) -> float:
        return min(1.0, max(0.0, value))

    @property
    def unfit(self) -> bool:
        """Whether the photo should not be shown large."""
        return bool(_UNFIT.intersection(self.flags))


class Descriptions(BaseModel):
    """The model's answer for a batch."""

    photos: list[Description]


@dataclass
class Described:
    """What came of all batches: descriptions by photo, and the failures, first first."""

    by_photo: dict[UUID, Description] = field(default_factory=dict)
    failures: list[ProviderFailure] = field(default_factory=list)


async def describe(
    client: GeminiClient,
    model: str,
    photo_ids: Sequence[UUID],
    load: Load,
    *,
    about: Mapping[str, str],
    wait: float,
    remaining: Callable[[], float],
    on_described: Callable[[Mapping[UUID, Description]], Awaitable[None]],
    on_done: Callable[[int], Awaitable[None]],
) -> Described:
    """Descriptions of the photos, whose bytes `load` gives batch by batch.

    A batch that fails leaves its photos out and the others alone; one that fails for a reason that would meet the next
    as well is the last. Waits at most `wait` seconds for quota in each batch, never past `remaining()`. `on_described`
    gets each batch as it comes, so that what was paid for outlives this process; `on_done` how many photos are through.
    """
    described = Described()
    for start in range(0, len(photo_ids), BATCH):
        batch = photo_ids[start : start + BATCH]
        try:
            answers = await with_patience(
                partial(_ask, client, model, batch, load, about), wait=wait, remaining=remaining
            )
        except ProviderFailure as failure:
            described.failures.append(failure)
            if failure.code in _STOPPING:
                break
        else:
            told = {batch[answer.index - 1]: answer for answer in answers.photos}
            await on_described(told)
            described.by_photo |= told
        await on_done(min(start + BATCH, len(photo_ids)))
    return described


async def _ask(
    client: GeminiClient, model: str, batch: Sequence[UUID], load: Load, about: Mapping[str, str]
) -> Descriptions:
    # "<" is written as an escape, so that nothing inside can close the fence.
    facts = json.dumps(dict(about), ensure_ascii=False).replace("<", "\\u003c")
    parts: list[str | ImagePart] = [f"<place>{facts}</place>"]
    for number, photo_id in enumerate(batch, 1):
        parts += [f"photo {number}", ImagePart(await asyncio.to_thread(reduced, await load(photo_id)))]
    answer = await client.ask(
        parts,
        model=model,
        shape=Descriptions,
        instruction=_INSTRUCTION.read_text(encoding="utf-8"),
        max_output_tokens=_OUTPUT_TOKENS,
    )
    indices = [photo.index for photo in answer.value.photos]
    if len(set(indices)) < len(indices) or not set(indices) <= set(range(1, len(batch) + 1)):
        # Counted from 0, or otherwise: a photo would be published with the words of another.
        raise ProviderFailure("bad_answer", "the descriptions do not name the photos that were sent")
    return answer.value


def usable_alt(text: str, locale: Literal["ko", "en"]) -> str | None:
    """The model's sentence if it may be published, else None.

    A digit in it would be a price, a number or a time that nobody confirmed; praise, an award or an address, even one that
    stands on a sign in the photo, a claim nobody did.
    """
    line = " ".join(text.split())
    if not line or len(line) > _ALT_LIMIT or any(c.isdigit() for c in line) or "://" in line or "<" in line:
        return None
    if not is_plain(line) or any(kind != "negation" for kind, _, _ in suspects_in(_SEEN.sub(" ", line))):
        return None
    has_hangul = any("가" <= c <= "힣" for c in line)
    return line if has_hangul == (locale == "ko") else None
