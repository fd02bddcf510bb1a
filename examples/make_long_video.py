"""Make a video of twenty minutes to try corrections on: the sample's cook, with longer steps and far more chatter.

    python examples/make_long_video.py talk.mp4

Needs the program espeak-ng and the packages av, numpy and pillow. What is said is in long_narration.txt, where a line
such as (12) is a silence of so many seconds; the pictures are those of the sample video, slowed down.
"""

import argparse
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path

import av
from make_sample import FPS, SAMPLE, story, write
from PIL import Image
from sample_scenes import Scene

NARRATION = Path(__file__).with_name("long_narration.txt")


@lru_cache(maxsize=2)  # the scene that is shown, and the one that fades into it
def pictures_between(first: int, end: int) -> list[Image.Image]:
    """The sample's frames from first to end."""
    with av.open(str(SAMPLE / "video.mp4")) as file:
        shown = (frame for number, frame in enumerate(file.decode(video=0)) if first <= number < end)
        return [frame.to_image() for frame in shown]


def picture(first: int, end: int, progress: float, _seconds: float) -> Image.Image:
    """One of the sample's frames from first to end."""
    frames = pictures_between(first, end)
    return frames[min(int(progress * len(frames)), len(frames) - 1)]


def sample_scenes() -> Mapping[str, Scene]:
    """Every scene of the sample, by name, without the cross-fade at its start."""
    with av.open(str(SAMPLE / "video.mp4")) as file:
        edges = [[int(part[side] * part["time_base"] * FPS) for side in ("start", "end")] for part in file.chapters()]
    shots = story(SAMPLE / "narration.txt")
    return {shot.scene: partial(picture, first + 10, end) for shot, (first, end) in zip(shots, edges, strict=True)}


def main() -> None:
    """Read the command line and make the video."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("output", type=Path)
    write(parser.parse_args().output, story(NARRATION), sample_scenes(), preset="veryfast")


if __name__ == "__main__":
    main()
