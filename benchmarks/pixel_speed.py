"""What a moment of a video costs from pixels: the paper's backbones with their real layers, and the shipped ones.

    python -m benchmarks.pixel_speed [--rounds 3]

CPU time. The published weights are not at hand, so the paper's networks have random ones: the time is the same. The
paper reads a clip (VDAN+) or a picture (VDAN) at every frame; here one clip in 32 frames is read, and two pictures a
second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
import torch

from saffa.encoders.vdan.picture_vdan import PictureVdan
from saffa.encoders.visual.frame_features import SIZE, PictureBackbone
from saffa.research.training.vdan.backbones import R2Plus1D34, ResNet50
from saffa.storage.models import ModelFolder, shipped

RATE = 30
"""Frames a second of a usual video."""
RECIPE = ("Boil the water.", "Chop the onion.", "Fry it in butter.", "Serve the soup.")


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The median CPU time of some rounds after one that loads what is needed; other programs do not count."""
    work()
    found = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return median(found)


def rows(rounds: int) -> Iterator[tuple[str, float, float]]:
    """What is done, milliseconds of one, and frames of the video that one serves as saffa reads it."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        clips, pictures = R2Plus1D34().eval(), ResNet50().eval()
        clip, picture = torch.zeros(1, 3, 32, 112, 112), torch.zeros(1, 3, 224, 224)
        yield "VDAN+ as published: R(2+1)D-34, a clip of 32 frames", seconds(lambda: clips(clip), rounds), 32
        yield "VDAN as published: ResNet-50, a picture", seconds(lambda: pictures(picture), rounds), RATE / 2
    backbone = PictureBackbone()
    seen = np.zeros((1, SIZE, SIZE, 3), np.uint8)
    yield "shipped: EfficientNet-Lite0, a picture", seconds(lambda: backbone.features(seen), rounds), RATE / 2
    model = PictureVdan(ModelFolder.open(shipped("vdan")), threads=1)
    read, phi = model.read(RECIPE), model.space(backbone.features(seen))
    yield (
        "shipped vdan: the text (4 sentences) read with a picture",
        seconds(lambda: model.pair(read, phi), rounds),
        RATE,
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time per frame from pixels.")
    parser.add_argument("--rounds", type=int, default=3)
    print("| | ms each | ms a frame, read at every frame | ms a frame, as saffa reads |\n|---|---|---|---|")
    for name, each, frames in rows(parser.parse_args().rounds):
        print(f"| {name} | {1000 * each:.1f} | {1000 * each:.1f} | {1000 * each / frames:.2f} |", flush=True)


if __name__ == "__main__":
    main()
