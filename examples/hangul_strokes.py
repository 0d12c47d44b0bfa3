"""Writes Hangul with a pen: strokes, no font, so the drawings come out alike on every machine."""

from PIL import ImageDraw

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Colour = tuple[int, int, int]

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
BELOW = "ㅗㅛㅜㅠㅡ"  # vowels that stand under their initial

# Each letter in a unit square; a letter that no sign or menu of the example needs is not drawn.
STROKES: dict[str, list[list[Point]]] = {
    "ㄱ": [[(0, 0), (1, 0), (0.9, 1)]],
    "ㄴ": [[(0, 0), (0, 1), (1, 1)]],
    "ㄷ": [[(1, 0), (0, 0), (0, 1), (1, 1)]],
    "ㄹ": [[(0, 0), (1, 0), (1, 0.5), (0, 0.5), (0, 1), (1, 1)]],
    "ㅁ": [[(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]],
    "ㅂ": [[(0, 0), (0, 1), (1, 1), (1, 0)], [(0, 0.5), (1, 0.5)]],
    "ㅅ": [[(0.5, 0), (0.4, 0.45), (0, 1)], [(0.46, 0.35), (1, 1)]],
    "ㅈ": [[(0, 0), (1, 0)], [(0.55, 0), (0.4, 0.45), (0, 1)], [(0.46, 0.4), (1, 1)]],
    "ㅊ": [
        [(0.3, 0), (0.7, 0)],
        [(0, 0.3), (1, 0.3)],
        [(0.55, 0.3), (0.4, 0.6), (0, 1)],
        [(0.46, 0.55), (1, 1)],
    ],
    "ㅋ": [[(0, 0), (1, 0), (0.9, 1)], [(0, 0.5), (0.95, 0.5)]],
    "ㅎ": [[(0.3, 0), (0.7, 0)], [(0, 0.28), (1, 0.28)]],
    "ㅏ": [[(0.35, 0), (0.35, 1)], [(0.35, 0.48), (1, 0.48)]],
    "ㅓ": [[(0.75, 0), (0.75, 1)], [(0.05, 0.48), (0.75, 0.48)]],
    "ㅣ": [[(0.5, 0), (0.5, 1)]],
    "ㅐ": [[(0.2, 0), (0.2, 1)], [(0.85, 0), (0.85, 1)], [(0.2, 0.48), (0.85, 0.48)]],
    "ㅗ": [[(0.5, 0), (0.5, 0.7)], [(0, 0.7), (1, 0.7)]],
    "ㅜ": [[(0, 0.3), (1, 0.3)], [(0.5, 0.3), (0.5, 1)]],
    "ㅠ": [[(0, 0.3), (1, 0.3)], [(0.3, 0.3), (0.3, 1)], [(0.7, 0.3), (0.7, 1)]],
    "ㅡ": [[(0, 0.5), (1, 0.5)]],
}
RINGS: dict[str, Box] = {"ㅇ": (0.05, 0.05, 0.95, 0.95), "ㅎ": (0.15, 0.48, 0.85, 1.0)}


def _letter(draw: ImageDraw.ImageDraw, letter: str, box: Box, pen: int, colour: Colour) -> None:
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    for stroke in STROKES.get(letter, []):
        points = [(left + x * width, top + y * height) for x, y in stroke]
        draw.line(points, fill=colour, width=pen, joint="curve")
        for x, y in points:
            draw.ellipse((x - pen / 2, y - pen / 2, x + pen / 2, y + pen / 2), fill=colour)
    if letter in RINGS:
        x0, y0, x1, y1 = RINGS[letter]
        ring = (left + x0 * width, top + y0 * height, left + x1 * width, top + y1 * height)
        draw.ellipse(
            (ring[0] - pen / 2, ring[1] - pen / 2, ring[2] + pen / 2, ring[3] + pen / 2),
            outline=colour,
            width=pen,
        )
    if letter not in STROKES and letter not in RINGS:
        raise ValueError(f"no strokes for {letter!r}")


def _layout(vowel: str, final: str) -> tuple[Box, Box, Box]:
    """Where initial, vowel and final stand within a syllable's unit square."""
    if vowel in BELOW:
        if final == " ":
            return (0.22, 0.08, 0.78, 0.5), (0.04, 0.55, 0.96, 0.95), (0, 0, 0, 0)
        return (0.24, 0.04, 0.76, 0.32), (0.04, 0.36, 0.96, 0.6), (0.22, 0.66, 0.78, 0.97)
    if final == " ":
        return (0.08, 0.18, 0.52, 0.82), (0.6, 0.02, 0.96, 0.98), (0, 0, 0, 0)
    return (0.08, 0.06, 0.52, 0.46), (0.6, 0.0, 0.96, 0.54), (0.22, 0.62, 0.86, 0.97)


def write(
    draw: ImageDraw.ImageDraw, text: str, at: Point, size: float, colour: Colour, *, pen: float = 0.09
) -> float:
    """Writes `text` from the top left corner `at`, `size` pixels a syllable; returns the x where it ends."""
    x, y = at
    width = max(2, round(size * pen))
    for character in text:
        if character == " ":
            x += size * 0.45
            continue
        index = ord(character) - 0xAC00
        initial, vowel, final = INITIALS[index // 588], VOWELS[index % 588 // 28], FINALS[index % 28]
        for letter, (x0, y0, x1, y1) in zip((initial, vowel, final), _layout(vowel, final), strict=True):
            if letter != " ":
                box = (x + x0 * size, y + y0 * size, x + x1 * size, y + y1 * size)
                _letter(draw, letter, box, width, colour)
        x += size * 1.12
    return x
