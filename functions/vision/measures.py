"""What Pillow alone can tell about a photo: size, sharpness, brightness, and a fingerprint of how it looks.

Everything here takes CPU time: call it in a thread.
"""

import io
from dataclasses import asdict, dataclass
from typing import Any

from PIL import Image, ImageFilter, ImageOps, ImageStat, UnidentifiedImageError

from shared.places.media import MEDIA_PIXELS, MediaError

ANALYSIS_SIDE = 512  # pixels of the longer side that sharpness and brightness are measured at
SENT_SIDE = 1024  # pixels of the longer side of what is sent to a model
# The sum of the kernel's positive weights bounds its answer to ±1020; a quarter of it still clips only at edges no
# photo has, and keeps a soft photo's small differences apart.
_LAPLACE = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=4, offset=128)
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")


@dataclass(frozen=True)
class Measures:
    """`width` and `height` are upright pixels; `sharpness` the variance of the Laplacian at 512 pixels, about 0 to
    5,000; `brightness` the mean, 0 to 1; `dhash` 64 bits as 16 hex digits, alike for photos that look alike."""

    width: int
    height: int
    sharpness: float
    brightness: float
    dhash: str

    def as_json(self) -> dict[str, Any]:
        """The value of `photos.measures`."""
        return asdict(self)


def measure(data: bytes) -> Measures:
    """The photo's measures. Raises `MediaError` when the bytes are no photo, or one too large to decode."""
    width, height, image = _opened(data, ANALYSIS_SIDE)
    grey = image.convert("L")
    grey.thumbnail((ANALYSIS_SIDE, ANALYSIS_SIDE))
    edges = grey.filter(_LAPLACE)
    # Pillow copies the outermost row and column unfiltered; they are not edges.
    if min(edges.size) > 2:
        edges = edges.crop((1, 1, edges.width - 1, edges.height - 1))
    return Measures(
        width=width,
        height=height,
        sharpness=round(ImageStat.Stat(edges).var[0] * 16, 2),
        brightness=round(ImageStat.Stat(grey).mean[0] / 255, 4),
        dhash=_dhash(grey),
    )


def reduced(data: bytes) -> bytes:
    """The photo as a JPEG of at most 1,024 pixels a side: upright, without EXIF (which may say where it was taken).

    Raises `MediaError`.
    """
    _, _, image = _opened(data, SENT_SIDE)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        flat = image.convert("RGBA")
        image = Image.new("RGB", flat.size, "white")
        image.paste(flat, mask=flat.getchannel("A"))
    image = image.convert("RGB")
    image.thumbnail((SENT_SIDE, SENT_SIDE))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=82)
    return out.getvalue()


def distance(one: str, other: str) -> int:
    """How many of the 64 bits of two fingerprints differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def _opened(data: bytes, side: int) -> tuple[int, int, Image.Image]:
    """Upright width and height of the original, and the picture decoded near `side` pixels, upright."""
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > MEDIA_PIXELS:
                raise MediaError("too_many_pixels", f"A photo has at most {MEDIA_PIXELS:,} pixels")
            turned = opened.getexif().get(0x0112, 1) in (5, 6, 7, 8)
            width, height = (opened.height, opened.width) if turned else opened.size
            opened.draft(None, (side, side))  # a JPEG is decoded at a fraction of its size
            return width, height, ImageOps.exif_transpose(opened)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise MediaError("too_many_pixels", f"A photo has at most {MEDIA_PIXELS:,} pixels") from None
    except (UnidentifiedImageError, OSError, SyntaxError, EOFError) as error:
        raise MediaError("not_an_image", f"The bytes cannot be decoded: {type(error).__name__}") from None


def _dhash(grey: Image.Image) -> str:
    """Whether each of 8 x 8 cells is darker than its right neighbour."""
    pixels = grey.resize((9, 8), Image.Resampling.BOX).tobytes()
    bits = 0
    for row in range(8):
        for column in range(8):
            bits = bits << 1 | (pixels[row * 9 + column] < pixels[row * 9 + column + 1])
    return f"{bits:016x}"
