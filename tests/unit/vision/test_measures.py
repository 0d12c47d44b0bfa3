"""What Pillow tells of the example's photos, and of bytes that are none."""

import io
import struct
import zlib
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from PIL import Image

from functions.vision.describe import Description, usable_alt
from functions.vision.measures import distance, measure, reduced
from functions.vision.ranking import Looked, Placed, hero_fit_of, placed, quality_of
from shared.places.media import MediaError

PHOTOS = Path(__file__).resolve().parents[3] / "examples" / "photos"
NAMES = ("storefront", "kalguksu", "interior", "menu-board", "storefront-again", "interior-dark")


def read(name: str) -> bytes:
    return (PHOTOS / f"{name}.jpg").read_bytes()


def encoded(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def looked(name: str, position: int = 0, *, confirmed: bool = True, **said: object) -> Looked:
    description = None
    if said:
        description = Description.model_validate(
            {
                "index": 1,
                "kind": "other",
                "alt_ko": "",
                "alt_en": "",
                "quality": 0.5,
                "hero_fit": 0.5,
                "menu": [],
                "flags": [],
            }
            | said
        )
    return Looked(uuid4(), position, confirmed, measure(read(name)), description)


def test_a_dark_and_blurred_photo_is_told_from_a_good_one() -> None:
    good, bad = measure(read("interior")), measure(read("interior-dark"))

    assert good.sharpness > 20 * bad.sharpness
    assert bad.brightness < 0.2 < good.brightness
    assert quality_of(good) > 2 * quality_of(bad)
    assert (good.width, good.height) == (1200, 900)


def test_a_near_duplicate_looks_alike_and_other_photos_do_not() -> None:
    prints = {name: measure(read(name)).dhash for name in NAMES}

    assert distance(prints["storefront"], prints["storefront-again"]) <= 10
    others = [a for a in NAMES if a != "storefront-again"]
    assert all(distance(prints[a], prints[b]) > 15 for a in others for b in others if a < b)


def test_the_owners_order_holds_among_good_photos_and_the_bad_ones_fall_behind() -> None:
    photos = [looked(name, position) for position, name in enumerate(NAMES)]
    name_of = {photo.photo_id: name for photo, name in zip(photos, NAMES, strict=True)}

    order = placed(photos)

    assert name_of[order[0].photo_id] == "storefront"
    assert [name_of[p.photo_id] for p in order[-2:]] == ["interior-dark", "storefront-again"]
    assert (order[-2].rank, order[-1].rank) == (4, None)
    twin = order[-1].duplicate_of
    assert twin is not None
    assert name_of[twin] == "storefront"


def test_what_may_be_published_is_never_hidden_behind_what_may_not() -> None:
    better, owners = looked("storefront", confirmed=False), looked("storefront-again", 1)

    assert _by_id(placed([better, owners]))[better.photo_id].duplicate_of == owners.photo_id


def test_the_models_eye_moves_a_photo() -> None:
    board = looked("menu-board", 0, kind="menu", quality=0.4, hero_fit=0.1)
    front = looked("interior", 1, kind="interior", quality=0.9, hero_fit=0.9)
    plate = looked("kalguksu", 2, kind="product", quality=1.0, hero_fit=1.0, flags=["plate"])

    assert [p.photo_id for p in placed([board, front, plate])] == [
        front.photo_id,
        board.photo_id,
        plate.photo_id,
    ]


def test_a_wide_photo_fills_a_head_better_than_a_tall_one() -> None:
    wide = measure(read("storefront"))
    tall = measure(encoded(Image.open(io.BytesIO(read("storefront"))).crop((300, 0, 900, 900))))

    assert hero_fit_of(wide) > 1.5 * hero_fit_of(tall)


def test_what_is_sent_is_small_upright_and_says_nothing_of_where_it_was_taken() -> None:
    image = Image.new("RGB", (3000, 2000), "white")
    image.paste("red", (0, 0, 1500, 2000))
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "Maker"
    exif.get_ifd(0x8825)[1] = "N"  # GPS
    data = encoded(image, exif=exif)

    sent = Image.open(io.BytesIO(reduced(data)))

    assert sent.size == (683, 1024)
    assert not sent.getexif()
    top, bottom = sent.getpixel((340, 50)), sent.getpixel((340, 980))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert (top[0] > 200, top[1] < 80, min(bottom) > 200) == (True, True, True)
    assert (measure(data).width, measure(data).height) == (2000, 3000)


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("RGBA", "PNG"), ("P", "PNG"), ("P", "GIF"), ("LA", "PNG"), ("CMYK", "JPEG"), ("L", "WEBP")],
)
def test_every_kind_of_picture_is_read(mode: str, kind: str) -> None:
    data = encoded(Image.new(mode, (640, 480)), kind)

    assert measure(data).width == 640
    assert Image.open(io.BytesIO(reduced(data))).mode == "RGB"


@pytest.mark.parametrize("size", [(1, 1), (2, 400), (400, 1)])
def test_a_sliver_has_measures_too(size: tuple[int, int]) -> None:
    assert measure(encoded(Image.new("RGB", size), "PNG")).sharpness == 0


def _claimed_png(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "not_an_image"),
        (b"<html></html>", "not_an_image"),
        (read("kalguksu")[:5000], "not_an_image"),
        (_claimed_png(9000, 9000), "too_many_pixels"),
        (_claimed_png(60_000, 60_000), "too_many_pixels"),
    ],
)
def test_what_is_no_photo_has_a_name(data: bytes, rule: str) -> None:
    with pytest.raises(MediaError) as error:
        measure(data)
    assert error.value.rule == rule


@pytest.mark.parametrize(
    ("text", "locale", "kept"),
    [
        ("  나무 탁자 위의\n칼국수 한 그릇 ", "ko", "나무 탁자 위의 칼국수 한 그릇"),
        ("A bowl of noodles", "en", "A bowl of noodles"),
        ("메뉴판: 칼국수 11,000원", "ko", None),
        ("A bowl of noodles", "ko", None),
        ("칼국수", "en", None),
        ("See https://x.example", "en", None),
        ("<b>국수</b>", "ko", None),
        ("국" * 161, "ko", None),
        ("", "ko", None),
    ],
)
def test_a_sentence_about_a_photo_is_published_only_without_unconfirmed_numbers(
    text: str, locale: str, kept: str | None
) -> None:
    assert usable_alt(text, locale) == kept  # type: ignore[arg-type]


def _by_id(order: list[Placed]) -> dict[UUID, Placed]:
    return {place.photo_id: place for place in order}
