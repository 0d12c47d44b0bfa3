"""Draws the example's photos: `python examples/make_photos.py`. The same pictures every time; Pillow alone.

They are illustrations, not photographs, so nobody's shop, face or number plate is in them. Two are there to
give VISION something to rank: a near-duplicate of the shop front, and a dark, blurred shot of the room.
"""

import math
import random
from pathlib import Path

from hangul_strokes import write
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 1200, 900
SCALE = 2  # drawn twice as large and reduced, which smooths every edge
W, H = WIDTH * SCALE, HEIGHT * SCALE

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


def gradient(top: Colour, bottom: Colour, size: tuple[int, int] = (W, H)) -> Image.Image:
    """A vertical blend of two colours."""
    ramp = Image.linear_gradient("L").resize(size)
    return Image.composite(Image.new("RGB", size, bottom), Image.new("RGB", size, top), ramp)


def glow(image: Image.Image, box: Box, colour: Colour, strength: int, blur: float) -> None:
    """Light of `colour` added in and around the ellipse `box`."""
    light = Image.new("L", (W // 8, H // 8), 0)
    ImageDraw.Draw(light).ellipse([value / 8 for value in box], fill=strength)
    light = light.filter(ImageFilter.GaussianBlur(blur / 8)).resize((W, H))
    lit = ImageChops.screen(
        image, Image.composite(Image.new("RGB", (W, H), colour), Image.new("RGB", (W, H)), light)
    )
    image.paste(lit)


def shadow(image: Image.Image, box: Box, strength: int, blur: float, *, round_: bool = True) -> None:
    """A soft shadow in the shape of `box`."""
    mask = Image.new("L", (W // 8, H // 8), 0)
    draw = ImageDraw.Draw(mask)
    (draw.ellipse if round_ else draw.rectangle)([value / 8 for value in box], fill=strength)
    mask = mask.filter(ImageFilter.GaussianBlur(blur / 8)).resize((W, H))
    image.paste(Image.new("RGB", (W, H), (24, 16, 12)), mask=mask)


def vary(colour: Colour, by: int, dice: random.Random) -> Colour:
    """`colour`, lighter or darker by at most `by`."""
    step = dice.randint(-by, by)
    return tuple(min(255, max(0, part + step)) for part in colour)  # type: ignore[return-value]


def planks(image: Image.Image, box: tuple[int, int, int, int], colour: Colour, count: int, seed: int) -> None:
    """Horizontal boards with a little grain."""
    dice = random.Random(seed)  # noqa: S311 - brush strokes, not secrets
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = box
    step = (bottom - top) / count
    for index in range(count):
        y0 = top + index * step
        draw.rectangle((left, y0, right, y0 + step), fill=vary(colour, 9, dice))
        for _ in range(5):
            y = y0 + dice.uniform(0.12, 0.88) * step
            bend, phase = dice.uniform(2, 9), dice.uniform(0, 6)
            wave = [(x, y + bend * math.sin(x / 330 + phase)) for x in range(left, right, 24)]
            draw.line(wave, fill=vary(colour, 16, dice), width=3)
        draw.line((left, y0, right, y0), fill=tuple(int(part * 0.62) for part in colour), width=5)


def number(
    draw: ImageDraw.ImageDraw, text: str, right: float, y: float, *, size: float, colour: Colour
) -> None:
    font = ImageFont.load_default(size)
    draw.text((right - draw.textlength(text, font=font), y), text, font=font, fill=colour)


def storefront() -> Image.Image:
    """The shop from across the street at dusk."""
    image = gradient((86, 112, 158), (240, 196, 160))
    draw = ImageDraw.Draw(image)
    dice = random.Random(7)  # noqa: S311
    for row in range(34):  # the brick front
        for column in range(-1, 22):
            x, y = 120 + column * 104 + (52 if row % 2 else 0), 150 + row * 40
            box = (max(120, x), y, min(W - 120, x + 98), y + 34)
            if box[2] > box[0]:
                draw.rectangle(box, fill=vary((164, 92, 70), 14, dice))
    draw.rectangle((90, 96, W - 90, 160), fill=(74, 58, 52))
    draw.rectangle((0, 1490, W, H), fill=(150, 144, 140))  # pavement
    for index in range(14):
        draw.line(
            (index * 200 - 80, H, W / 2 + (index * 200 - 80 - W / 2) * 0.72, 1490),
            fill=(128, 122, 120),
            width=5,
        )
    for y in (1490, 1570, 1672):
        draw.line((0, y, W, y), fill=(120, 114, 112), width=6)
    draw.rectangle((260, 640, W - 260, 1490), fill=(88, 58, 40))  # wooden shop front
    draw.rectangle((330, 720, 1410, 1330), fill=(250, 214, 142))
    window = gradient((255, 226, 158), (236, 164, 92), (1080, 610))
    image.paste(window, (330, 720))
    for x in (480, 850, 1220):  # lamps and a counter behind the glass
        draw.line((x, 720, x, 810), fill=(70, 46, 34), width=8)
        draw.pieslice((x - 66, 780, x + 66, 912), 180, 360, fill=(70, 46, 34))
        draw.ellipse((x - 34, 824, x + 34, 880), fill=(255, 248, 214))
    draw.rectangle((330, 1150, 1410, 1330), fill=(146, 92, 54))
    for x in (420, 640, 860, 1080, 1300):
        draw.pieslice((x - 62, 1064, x + 62, 1188), 0, 180, fill=(244, 240, 230))
        draw.rectangle((x - 62, 1118, x + 62, 1130), fill=(70, 104, 128))
    for x in (690, 1050):
        draw.rectangle((x - 9, 720, x + 9, 1330), fill=(88, 58, 40))
    draw.rectangle((1540, 720, 2060, 1490), fill=(58, 38, 28))  # door with its curtain
    draw.rectangle((1570, 750, 2030, 1490), fill=(242, 188, 116))
    draw.rectangle((1790, 750, 1810, 1490), fill=(58, 38, 28))
    for index in range(4):
        x0 = 1576 + index * 114
        draw.polygon([(x0, 750), (x0 + 106, 750), (x0 + 102, 1092), (x0 + 4, 1098)], fill=(36, 62, 96))
    draw.ellipse((1700, 838, 1900, 1038), fill=(246, 240, 222))
    draw.ellipse((1742, 816, 1916, 990), fill=(36, 62, 96))
    draw.rounded_rectangle((420, 300, 1980, 590), 26, fill=(48, 34, 28))  # sign
    draw.rounded_rectangle((440, 320, 1960, 570), 20, outline=(206, 164, 96), width=6)
    draw.ellipse((530, 376, 668, 514), fill=(250, 226, 150))
    write(draw, "달그릇국수", (780, 358), 178, (252, 240, 214), pen=0.11)
    for x, tall in ((250, 220), (1470, 170), (2150, 240)):  # pots
        for _ in range(46):
            angle, reach = dice.uniform(-1.25, 1.25), dice.uniform(0.5, 1) * tall
            tip = (x + reach * math.sin(angle), 1400 - reach * math.cos(angle))
            draw.line((x, 1400, *tip), fill=vary((62, 116, 70), 26, dice), width=12)
        draw.polygon([(x - 74, 1390), (x + 74, 1390), (x + 54, 1530), (x - 54, 1530)], fill=(178, 108, 78))
    shadow(image, (240, 1480, W - 240, 1530), 110, 24, round_=False)
    glow(image, (360, 640, 1400, 1300), (255, 190, 100), 90, 150)
    glow(image, (1560, 700, 2060, 1500), (255, 190, 100), 70, 130)
    return image


def bowl(image: Image.Image, centre: tuple[int, int], radius: int, rim: Colour, inside: Colour) -> None:
    x, y = centre
    shadow(image, (x - radius + 30, y - radius + 60, x + radius + 60, y + radius + 90), 150, 60)
    draw = ImageDraw.Draw(image)
    for part, colour in ((1.0, rim), (0.975, (250, 248, 240)), (0.9, (226, 222, 210)), (0.86, inside)):
        reach = radius * part
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=colour)


def noodles() -> Image.Image:
    """A bowl of knife-cut noodles from above."""
    image = Image.new("RGB", (W, H))
    planks(image, (0, 0, W, H), (150, 104, 68), 9, 11)
    bowl(image, (1120, 930), 720, (58, 82, 104), (232, 206, 150))
    draw = ImageDraw.Draw(image)
    dice = random.Random(3)  # noqa: S311
    for _ in range(86):  # strands
        turn, reach = dice.uniform(0, math.tau), dice.uniform(0.05, 0.56) * 720
        x, y = 1120 + reach * math.cos(turn), 930 + reach * math.sin(turn)
        lean, bend = dice.uniform(0, math.tau), dice.uniform(-1.5, 1.5)
        strand = []
        for _ in range(18):
            strand.append((x, y))
            x, y, lean = x + 22 * math.cos(lean), y + 22 * math.sin(lean), lean + bend / 12
            if math.dist((x, y), (1120, 930)) > 590:
                break
        if len(strand) > 2:
            draw.line(strand, fill=(196, 160, 104), width=30, joint="curve")
            draw.line(strand, fill=vary((250, 234, 196), 8, dice), width=21, joint="curve")
    for index in range(15):  # zucchini and carrot
        x, y, lean = 860 + dice.uniform(-70, 170), 720 + dice.uniform(-80, 160), dice.uniform(-0.6, 0.6)
        end = (x + 170 * math.cos(lean), y + 170 * math.sin(lean))
        draw.line((x, y, *end), fill=(74, 128, 66) if index % 3 else (226, 122, 48), width=26)
        draw.line(
            (x, y - 8, end[0], end[1] - 8), fill=(168, 204, 118) if index % 3 else (246, 158, 84), width=10
        )
    for x, y in ((1330, 760), (1462, 900)):  # egg
        draw.ellipse((x - 112, y - 92, x + 112, y + 92), fill=(254, 252, 244))
        draw.ellipse((x - 60, y - 56, x + 60, y + 56), fill=(244, 178, 62))
        draw.ellipse((x - 36, y - 38, x + 6, y - 8), fill=(252, 210, 118))
    for _ in range(44):  # spring onion
        turn, reach = dice.uniform(0, math.tau), dice.uniform(0, 240)
        x, y = 1080 + reach * math.cos(turn), 1120 + 0.7 * reach * math.sin(turn)
        size = dice.uniform(14, 28)
        draw.ellipse(
            (x - size, y - size, x + size, y + size), outline=vary((84, 152, 70), 20, dice), width=10
        )
    for _ in range(60):  # sesame
        x, y = 1120 + dice.gauss(0, 230), 930 + dice.gauss(0, 200)
        draw.ellipse((x - 7, y - 5, x + 7, y + 5), fill=(246, 226, 170))
    bowl(image, (2090, 420), 260, (120, 60, 52), (196, 62, 44))
    draw = ImageDraw.Draw(image)
    for _ in range(46):  # kimchi
        turn, reach, size = dice.uniform(0, math.tau), dice.uniform(0, 160), dice.uniform(26, 56)
        x, y = 2090 + reach * math.cos(turn), 420 + reach * math.sin(turn)
        colour = (238, 204, 160) if dice.random() < 0.3 else vary((206, 66, 42), 24, dice)
        draw.ellipse((x - size, y - size * 0.6, x + size, y + size * 0.6), fill=colour)
    shadow(image, (2010, 760, 2080, 1720), 120, 26, round_=False)
    draw = ImageDraw.Draw(image)
    for x in (2030, 2110):  # chopsticks
        draw.polygon([(x, 740), (x + 34, 740), (x + 22, 1700), (x + 10, 1700)], fill=(196, 200, 206))
        draw.line((x + 10, 744, x + 14, 1690), fill=(240, 242, 246), width=6)
    glow(image, (500, 240, 1400, 900), (255, 240, 210), 46, 260)
    return image


def interior() -> Image.Image:
    """The room, seen from the door."""
    image = gradient((232, 216, 190), (214, 190, 158))
    draw = ImageDraw.Draw(image)
    draw.polygon([(0, H), (W, H), (1760, 1130), (640, 1130)], fill=(132, 92, 62))
    for index in range(-6, 19):
        near = index * 200
        draw.line((near, H, 640 + (near + 1200) * 1120 / 4800, 1130), fill=(108, 72, 48), width=6)
    draw.polygon([(0, 0), (640, 330), (640, 1130), (0, H)], fill=(206, 184, 152))
    draw.polygon([(W, 0), (1760, 330), (1760, 1130), (W, H)], fill=(196, 172, 140))
    draw.polygon([(0, 0), (W, 0), (1760, 330), (640, 330)], fill=(92, 66, 50))
    draw.rectangle((640, 330, 1760, 1130), fill=(238, 226, 204))
    draw.rectangle((700, 520, 1700, 900), fill=(70, 60, 56))  # open kitchen
    image.paste(gradient((96, 84, 76), (176, 140, 104), (960, 340)), (720, 540))
    draw.rectangle((740, 620, 1660, 640), fill=(150, 112, 76))
    for index in range(9):
        x = 770 + index * 100
        draw.pieslice((x, 560, x + 76, 680), 0, 180, fill=(240, 236, 226) if index % 2 else (92, 124, 146))
    for x in (900, 1260, 1500):
        draw.rounded_rectangle((x - 90, 770, x + 90, 900), 20, fill=(150, 154, 158))
        draw.ellipse((x - 90, 750, x + 90, 796), fill=(198, 202, 206))
    draw.rectangle((680, 890, 1720, 940), fill=(150, 100, 62))
    planks(image, (700, 940, 1700, 1130), (170, 118, 76), 4, 5)
    draw = ImageDraw.Draw(image)
    draw.polygon([(120, 420), (470, 560), (470, 1080), (120, 1270)], fill=(206, 226, 232))  # window
    for part in (0.0, 0.5, 1.0):
        x = 120 + 350 * part
        draw.line((x, 420 + 140 * part, x, 1270 - 190 * part), fill=(96, 66, 46), width=18)
    draw.line((120, 845, 470, 820), fill=(96, 66, 46), width=14)
    draw.rectangle((1010, 372, 1390, 480), fill=(48, 34, 28))
    write(draw, "달그릇", (1046, 378), 94, (252, 240, 214), pen=0.12)
    for x, y, size in ((760, 1190, 0.62), (1560, 1200, 0.62), (420, 1410, 1.0), (1900, 1420, 1.0)):  # tables
        wide, deep = 330 * size, 96 * size
        shadow(image, (x - wide, y + 170 * size, x + wide, y + 300 * size), 120, 40)
        draw = ImageDraw.Draw(image)
        for seat in (-1, 1):
            stool = x + seat * wide * 0.92
            draw.line(
                (stool, y + 130 * size, stool, y + 300 * size), fill=(70, 46, 34), width=round(30 * size)
            )
            draw.ellipse(
                (stool - 92 * size, y + 96 * size, stool + 92 * size, y + 150 * size), fill=(64, 92, 120)
            )
        draw.line((x, y, x, y + 290 * size), fill=(84, 56, 40), width=round(44 * size))
        draw.ellipse((x - wide, y - deep + 18, x + wide, y + deep + 18), fill=(118, 78, 50))
        draw.ellipse((x - wide, y - deep, x + wide, y + deep), fill=(196, 142, 94))
        draw.pieslice(
            (x - 70 * size, y - 90 * size, x + 70 * size, y + 40 * size), 0, 180, fill=(246, 242, 232)
        )
    for x, drop in ((560, 250), (1200, 210), (1840, 250)):  # lamps
        draw.line((x, 0, x, drop), fill=(40, 30, 26), width=8)
        draw.pieslice((x - 120, drop - 20, x + 120, drop + 220), 180, 360, fill=(44, 66, 96))
        draw.ellipse((x - 50, drop + 66, x + 50, drop + 140), fill=(255, 246, 214))
    for x, drop in ((560, 250), (1200, 210), (1840, 250)):
        glow(image, (x - 240, drop, x + 240, drop + 500), (255, 206, 130), 96, 170)
    return image


def menu_board() -> Image.Image:
    """The wooden menu board on the wall."""
    image = gradient((226, 208, 180), (196, 174, 144))
    shadow(image, (330, 190, 2130, 1660), 170, 60, round_=False)
    planks(image, (290, 140, 2090, 1610), (104, 70, 46), 7, 23)
    draw = ImageDraw.Draw(image)
    draw.rectangle((290, 140, 2090, 1610), outline=(64, 42, 30), width=26)
    draw.line((600, 0, 600, 140), fill=(64, 42, 30), width=14)
    draw.line((1780, 0, 1780, 140), fill=(64, 42, 30), width=14)
    cream = (250, 236, 206)
    write(draw, "달그릇국수", (420, 240), 150, (244, 204, 120), pen=0.11)
    draw.line((420, 450, 1960, 450), fill=(244, 204, 120), width=6)
    lines = (
        ("바지락칼국수", "11,000"),
        ("들기름국수", "10,000"),
        ("비빔국수", "9,500"),
        ("김치만두", "7,000"),
    )
    for index, (name, price) in enumerate((*lines, ("콩국수", ""))):
        y = 530 + index * 200
        write(draw, name, (420, y), 112, cream, pen=0.1)
        if price:
            number(draw, price, 1960, y - 2, size=112, colour=cream)
        else:
            write(draw, "시가", (1714, y), 112, cream, pen=0.1)
    glow(image, (500, -200, 1900, 700), (255, 226, 170), 60, 260)
    return image


def dumplings() -> Image.Image:
    """Kimchi dumplings in a bamboo steamer, from above."""
    image = Image.new("RGB", (W, H))
    planks(image, (0, 0, W, H), (96, 78, 70), 8, 31)
    shadow(image, (560, 260, 1960, 1680), 170, 60)
    draw = ImageDraw.Draw(image)
    for part, colour in (
        (700, (150, 106, 58)),
        (668, (206, 162, 98)),
        (620, (164, 118, 66)),
        (600, (222, 190, 134)),
    ):
        draw.ellipse((1200 - part, 900 - part, 1200 + part, 900 + part), fill=colour)
    for x in range(660, 1760, 64):
        reach = math.sqrt(max(0, 590**2 - (x - 1200) ** 2))
        draw.line((x, 900 - reach, x, 900 + reach), fill=(196, 160, 104), width=14)
    for index in range(7):
        turn = index * math.tau / 6
        x, y = (1200, 900) if index == 6 else (1200 + 370 * math.cos(turn), 900 + 370 * math.sin(turn))
        shadow(image, (x - 140, y - 110, x + 170, y + 180), 120, 26)
        draw = ImageDraw.Draw(image)
        draw.ellipse((x - 158, y - 158, x + 158, y + 158), fill=(238, 218, 200))
        draw.ellipse((x - 138, y - 146, x + 126, y + 118), fill=(250, 240, 228))
        draw.ellipse((x - 70, y - 60, x + 60, y + 66), fill=(240, 206, 184))
        for fold in range(12):
            lean = fold * math.tau / 12
            start = (x + 34 * math.cos(lean), y + 34 * math.sin(lean))
            end = (x + 128 * math.cos(lean + 0.4), y + 128 * math.sin(lean + 0.4))
            draw.line((*start, *end), fill=(222, 196, 174), width=9)
        draw.ellipse((x - 26, y - 26, x + 26, y + 26), fill=(226, 184, 160))
    for x, y in ((330, 420), (2080, 1440)):
        bowl(image, (x, y), 210, (72, 96, 116), (86, 44, 26))
    glow(image, (700, 200, 1500, 800), (255, 244, 224), 50, 260)
    return image


def save(image: Image.Image, path: Path) -> None:
    if image.size != (WIDTH, HEIGHT):
        image = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    image.save(path, "JPEG", quality=84, optimize=True, progressive=True)


def main() -> None:
    front, room, dish = storefront(), interior(), noodles()
    photos, site = HERE / "photos", HERE / "site" / "photos"
    save(front, photos / "storefront.jpg")
    save(dish, photos / "kalguksu.jpg")
    save(room, photos / "interior.jpg")
    save(menu_board(), photos / "menu-board.jpg")
    again = front.crop((24, 18, W - 24, H - 18)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    again = ImageEnhance.Brightness(again).enhance(1.04).filter(ImageFilter.GaussianBlur(1))
    save(again, photos / "storefront-again.jpg")
    corner = room.crop((W // 2, H // 3, W, H)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    blurred = corner.filter(ImageFilter.GaussianBlur(10))
    save(ImageEnhance.Brightness(blurred).enhance(0.22), photos / "interior-dark.jpg")
    save(dumplings(), site / "mandu.jpg")
    save(dish.crop((300, 200, 2000, 1475)), site / "kalguksu-close.jpg")


if __name__ == "__main__":
    main()
