"""Photos as the page serves them: upright, without metadata, in three widths and three formats.

An asset's name is made of the original's SHA-256, the recipe, the width and the format. So it is known before
anything is encoded: what a published page already holds is not encoded again, and since the same name always means the
same picture, browsers may keep it for ever.
"""

import asyncio
import hashlib
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from PIL import Image, ImageCms, ImageOps

# Raise it whenever a change below makes other pictures: every page then gets new names.
RECIPE = 1
WIDTHS = (480, 960, 1600)
MOST_PIXELS = 60_000_000  # of an original: 180 MB when decoded
Format = Literal["avif", "webp", "jpg"]
FORMATS: tuple[Format, ...] = ("avif", "webp", "jpg")
MIME: dict[Format, str] = {"avif": "image/avif", "webp": "image/webp", "jpg": "image/jpeg"}
# Speed 8 of 10 costs 5 % more bytes than the default 6 and half its time; one thread makes the bytes repeatable.
_SAVE: dict[Format, tuple[str, dict[str, Any]]] = {
    "avif": ("AVIF", {"quality": 58, "speed": 8, "max_threads": 1}),
    "webp": ("WEBP", {"quality": 76, "method": 4}),
    "jpg": ("JPEG", {"quality": 80, "optimize": True, "progressive": True}),
}
_ROTATED = frozenset([5, 6, 7, 8])  # EXIF orientations that swap width and height
_ORIENTATION = 0x0112

# One decoded original at a time in a sandbox: five jobs at once would not fit its memory.
_one_at_a_time = ThreadPoolExecutor(1, "photos")


class BrokenPhotoError(Exception):
    """The original cannot be shown; the message says why."""


@dataclass(frozen=True)
class Variant:
    """One width of a photo in all formats. `names` are file names in the place's assets folder."""

    width: int
    height: int
    names: dict[Format, str]


@dataclass(frozen=True)
class DerivedPhoto:
    """What a page needs to show a photo. Variants go from narrow to wide; there is at least one."""

    photo_id: UUID
    variants: tuple[Variant, ...]

    @property
    def largest(self) -> Variant:
        """The widest variant: what the page links to and what previews show."""
        return self.variants[-1]

    def srcset(self, kind: Format, prefix: str) -> str:
        """The `srcset` of one format, names below `prefix`."""
        return ", ".join(f"{prefix}{variant.names[kind]} {variant.width}w" for variant in self.variants)

    @property
    def names(self) -> list[str]:
        """Every asset of the photo."""
        return [name for variant in self.variants for name in variant.names.values()]


async def derive(
    photo_id: UUID, sha256: str, original: bytes, standing: frozenset[str]
) -> tuple[DerivedPhoto, dict[str, bytes]]:
    """The photo's variants, and the bytes of those assets that do not stand yet.

    Works in a thread, one photo at a time a process. Raises `BrokenPhotoError`.
    """
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_one_at_a_time, _derive, photo_id, sha256, original, standing)


def _derive(
    photo_id: UUID, sha256: str, original: bytes, standing: frozenset[str]
) -> tuple[DerivedPhoto, dict[str, bytes]]:
    try:
        with Image.open(io.BytesIO(original), formats=("JPEG", "PNG", "WEBP", "GIF", "AVIF")) as image:
            if image.width * image.height > MOST_PIXELS:
                raise BrokenPhotoError(f"more than {MOST_PIXELS:,} pixels")
            photo = DerivedPhoto(photo_id, _variants(sha256, _upright_size(image)))
            missing = [name for name in photo.names if name not in standing]
            if not missing:
                return photo, {}
            picture = _picture(image, photo.largest.width)
        return photo, _encoded(photo, picture, set(missing))
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError) as error:
        raise BrokenPhotoError(f"cannot be read ({type(error).__name__})") from error


def _upright_size(image: Image.Image) -> tuple[int, int]:
    width, height = image.size
    return (height, width) if image.getexif().get(_ORIENTATION) in _ROTATED else (width, height)


def _variants(sha256: str, size: tuple[int, int]) -> tuple[Variant, ...]:
    width, height = size
    widths = sorted({*(w for w in WIDTHS if w < width), min(width, WIDTHS[-1])})
    return tuple(
        Variant(w, max(1, round(height * w / width)), {kind: _name(sha256, w, kind) for kind in FORMATS})
        for w in widths
    )


def _name(sha256: str, width: int, kind: Format) -> str:
    digest = hashlib.sha256(f"{RECIPE}:{sha256}:{width}:{kind}".encode()).hexdigest()[:16]
    return f"photo-{width}.{digest}.{kind}"


def _picture(image: Image.Image, width: int) -> Image.Image:
    """The pixels alone: upright, sRGB, on white where transparent. Nothing of the file's metadata is in it."""
    if image.format in ("JPEG", "MPO"):
        image.draft("RGB", (width * 2, width * 2))  # decode a large JPEG at a half, quarter or eighth
    upright = ImageOps.exif_transpose(image)
    profile = upright.info.get("icc_profile")
    if upright.mode in ("RGBA", "LA", "PA", "P") or "transparency" in upright.info:
        rgba = upright.convert("RGBA")
        flat = Image.new("RGB", rgba.size, "white")
        flat.paste(rgba, mask=rgba.getchannel("A"))
        return flat
    if profile and upright.mode in ("RGB", "CMYK", "L"):
        converted = _to_srgb(upright, profile)
        if converted is not None:
            return converted
    return upright.convert("RGB")


def _to_srgb(image: Image.Image, profile: bytes) -> Image.Image | None:
    """The picture in sRGB; None when its profile is unreadable, and its numbers are then taken as they are."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        return ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None


def _encoded(photo: DerivedPhoto, picture: Image.Image, wanted: set[str]) -> dict[str, bytes]:
    made: dict[str, bytes] = {}
    for variant in reversed(photo.variants):  # each narrower one from the wider: a third of the work
        if picture.size != (variant.width, variant.height):
            picture = picture.resize((variant.width, variant.height), Image.Resampling.LANCZOS)
        picture.info.clear()
        for kind, name in variant.names.items():
            if name in wanted:
                encoder, options = _SAVE[kind]
                buffer = io.BytesIO()
                picture.save(buffer, encoder, **options)
                made[name] = buffer.getvalue()
    return made
