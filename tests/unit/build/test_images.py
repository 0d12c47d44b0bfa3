"""Photos are served upright, small, and without a word of where and by whom they were taken."""

import asyncio
import hashlib
import io
from uuid import uuid4

import pytest
from PIL import Image, ImageCms

from functions.build.images import BrokenPhotoError, DerivedPhoto, derive
from tests.unit.build import samples


def make(data: bytes, standing: frozenset[str] = frozenset()) -> tuple[DerivedPhoto, dict[str, bytes]]:
    return asyncio.run(derive(uuid4(), hashlib.sha256(data).hexdigest(), data, standing))


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def colour_at(image: Image.Image, y: int) -> str:
    pixel = image.convert("RGB").getpixel((100, y))
    assert isinstance(pixel, tuple)
    return ("red", "green", "blue")[pixel.index(max(pixel))]


@pytest.mark.parametrize(
    ("width", "widths"),
    [
        (2000, [480, 960, 1600]),
        (1600, [480, 960, 1600]),
        (1000, [480, 960, 1000]),
        (480, [480]),
        (120, [120]),
    ],
)
def test_widths_never_exceed_the_original(width: int, widths: list[int]) -> None:
    photo, made = make(samples.jpeg(width, width // 2))
    assert [variant.width for variant in photo.variants] == widths
    assert set(photo.names) == set(made)
    for variant in photo.variants:
        for name in variant.names.values():
            assert opened(made[name]).size == (variant.width, variant.height)


def test_three_formats_are_what_their_names_say() -> None:
    photo, made = make(samples.jpeg(300, 200))
    kinds = {kind: opened(made[name]).format for kind, name in photo.largest.names.items()}
    assert kinds == {"avif": "AVIF", "webp": "WEBP", "jpg": "JPEG"}


def test_the_photo_stands_upright_and_carries_no_metadata() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    exif[0x010F] = "a camera"
    exif.get_ifd(0x8825)[2] = (37.0, 15.0, 58.0)  # GPS latitude
    exif[0x8298] = "somebody"
    lying = Image.new("RGB", (400, 200), "red")
    lying.paste("blue", (200, 0, 400, 200))  # its right half, which is the lower one of the upright photo
    photo, made = make(saved(lying, "JPEG", exif=exif, comment=b"a word"))
    assert (photo.largest.width, photo.largest.height) == (200, 400)
    for name in photo.names:
        image = opened(made[name])
        assert image.size == (200, 400)
        assert [colour_at(image, y) for y in (50, 350)] == ["red", "blue"]
        assert not image.getexif()
        assert not {"exif", "icc_profile", "comment", "xmp", "photoshop"} & set(image.info)
        for word in (b"camera", b"somebody", b"Exif", b"a word"):
            assert word not in made[name]


def test_the_same_photo_gives_the_same_bytes() -> None:
    data = samples.jpeg(700, 500)
    assert make(data)[1] == make(data)[1]


def test_what_stands_already_is_not_encoded_again() -> None:
    data = samples.jpeg(700, 500)
    photo, made = make(data)
    again, nothing = make(data, frozenset(made))
    assert nothing == {}
    assert again.variants == photo.variants
    missing = photo.largest.names["webp"]
    _, one = make(data, frozenset(made) - {missing})
    assert one == {missing: made[missing]}


def test_other_photos_have_other_names() -> None:
    assert not set(make(samples.jpeg(colour="red"))[1]) & set(make(samples.jpeg(colour="blue"))[1])


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "CMYK", "1"])
def test_every_kind_of_picture_becomes_plain_colour(mode: str) -> None:
    image = Image.new(mode, (64, 48))
    photo, made = make(saved(image, "JPEG" if mode == "CMYK" else "PNG"))
    assert opened(made[photo.largest.names["jpg"]]).mode == "RGB"


def test_what_is_transparent_is_white() -> None:
    photo, made = make(saved(Image.new("RGBA", (64, 48), (255, 0, 0, 0)), "PNG"))
    pixel = opened(made[photo.largest.names["jpg"]]).getpixel((10, 10))
    assert isinstance(pixel, tuple)
    assert min(pixel) > 250


def test_a_profile_is_applied_and_left_out() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    photo, made = make(samples.jpeg(64, 48, "red", icc_profile=profile))
    pixel = opened(made[photo.largest.names["jpg"]]).getpixel((10, 10))
    assert isinstance(pixel, tuple)
    assert pixel[0] > 240
    assert max(pixel[1:]) < 15
    assert make(samples.jpeg(64, 48, icc_profile=b"no profile"))[1]


@pytest.mark.parametrize(
    "data",
    [b"", b"no picture", samples.jpeg(900, 700)[:700], b"GIF89a", saved(Image.new("RGB", (64, 64)), "BMP")],
    ids=["empty", "text", "cut", "header", "another format"],
)
def test_a_broken_photo_is_one_error(data: bytes) -> None:
    with pytest.raises(BrokenPhotoError):
        make(data)


def test_a_photo_of_too_many_pixels_is_refused_unread() -> None:
    with pytest.raises(BrokenPhotoError, match="pixels"):
        make(saved(Image.new("1", (10_000, 6_001)), "PNG"))
