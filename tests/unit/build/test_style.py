"""The page's look keeps its promises: contrast in both schemes, and a version that moves with it."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from shared.places.models import Locale
from shared.places.rendering import RENDER_VERSION
from tests.unit.build import samples

CSS = (Path(samples.render.__code__.co_filename).parent / "templates" / "page.css").read_text()
LOCALES: tuple[Locale, ...] = ("ko", "en")
RECORD = Path(__file__).with_name("rendering.json")
PAIRS = [
    ("ink", "paper"),
    ("ink", "card"),
    ("ink", "tint"),
    ("soft", "paper"),
    ("soft", "card"),
    ("accent", "paper"),
    ("accent", "card"),
    ("accent", "tint"),
    ("on-accent", "accent"),
    ("closed", "card"),
]


def scheme(number: int) -> dict[str, str]:
    block = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[number]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("number", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), PAIRS)
def test_text_can_be_read(number: int, front: str, back: str) -> None:
    colours = scheme(number)
    light, dark = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_style_asks_for_nothing_outside() -> None:
    assert "url(" not in CSS
    assert "@import" not in CSS


def rendering() -> dict[str, str]:
    """The version, and what the sample page is under it."""
    data = samples.jpeg(1700, 1200)
    shot = samples.photo(0, data)
    shots = ((shot, samples.derived(shot, data)[0]),)
    pages = [samples.html(text=samples.copy(), photos=shots, locale=locale) for locale in LOCALES]
    return {
        "render_version": RENDER_VERSION,
        "sample": hashlib.sha256("".join(pages).encode()).hexdigest(),
    }


def test_the_render_version_moves_with_the_page() -> None:
    """Published pages follow a change of the template only if the version moves: `ops` then counts those behind.

    When this fails, raise RENDER_VERSION in shared/places/rendering.py and write `rendering()` to rendering.json.
    """
    assert json.loads(RECORD.read_text()) == rendering()
