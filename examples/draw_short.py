"""Draw thirty pictures of a shortened video, each with its time, the source's time and the speed there.

python examples/draw_short.py short.mp4 short.json sheet.png
"""

import argparse
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from saffa import Timeline
from saffa.core.clock import format_length

COLUMNS, ROWS, SIZE, CELL = 6, 5, (150, 84), (158, 120)


def sheet(video: Path, timeline: Timeline) -> Image.Image:
    """The pictures, evenly spread over the output."""
    frames, rate = np.asarray(timeline.frames), timeline.source.rate
    places = [(2 * k + 1) * len(frames) // (2 * COLUMNS * ROWS) for k in range(COLUMNS * ROWS)]
    out = Image.new("RGB", (COLUMNS * CELL[0], ROWS * CELL[1]), "white")
    draw, font = ImageDraw.Draw(out), ImageFont.load_default(11)
    with av.open(str(video)) as file:
        for place, frame in enumerate(file.decode(video=0)):
            if place not in places:
                continue
            row, column = divmod(places.index(place), COLUMNS)
            left, top = column * CELL[0] + 4, row * CELL[1] + 4
            out.paste(frame.to_image().resize(SIZE), (left, top))
            speed = frames[min(place + 1, len(frames) - 1)] - frames[min(place, len(frames) - 2)]
            times = (format_length(number / rate) for number in (place, int(frames[place])))
            draw.text((left, top + 85), "{} from {}".format(*times), "black", font)
            draw.text((left, top + 99), f"{speed}x", "#a33a0a", font)
    return out


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    for name in ("video", "timeline", "output"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    drawn = sheet(options.video, Timeline.load(options.timeline))
    drawn.quantize(128, dither=Image.Dither.NONE).save(options.output, optimize=True)


if __name__ == "__main__":
    main()
