"""A folder of made pictures with captions, as a person would bring it to training."""

import csv
import itertools
from pathlib import Path

from PIL import Image, ImageDraw

COLOURS = ("red", "green", "blue", "yellow", "white")
SHAPES = ("circle", "square", "stripes")


def write_captioned_pictures(folder: Path, copies: int = 2) -> Path:
    """Coloured shapes on black, two captions each, in captions.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [("file", "caption")]
    for colour, shape, copy in itertools.product(COLOURS, SHAPES, range(copies)):
        name = f"{colour}-{shape}-{copy}.png"
        _draw(colour, shape, 8 * copy).save(folder / name)
        rows += [(name, f"a {colour} {shape}"), (name, f"the {shape} is {colour}")]
    with (folder / "captions.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return folder


def _draw(colour: str, shape: str, shift: int) -> Image.Image:
    picture = Image.new("RGB", (120, 90), "black")
    pen = ImageDraw.Draw(picture)
    box = (10 + shift, 10, 70 + shift, 70)
    if shape == "circle":
        pen.ellipse(box, fill=colour)
    elif shape == "square":
        pen.rectangle(box, fill=colour)
    else:
        for top in range(shift, 90, 14):
            pen.rectangle((0, top, 120, top + 6), fill=colour)
    return picture
