"""What reading passages costs: `python -m benchmarks.passage_speed --data DIR [--minutes 20]`, CPU seconds and memory.

Training narrations of youcook2-narrated one after the other, cut at that many minutes, with the recipe of the first.
CPU time, so that a busy machine does not spoil it; the first run opens the network.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.fit_calibration import joined
from saffa.core.video import Narration
from saffa.encoders.narrated.encoder import NarratedEncoder
from saffa.research.datasets import narrated
from saffa.research.datasets.base import BenchmarkVideo


def talk(videos: list[BenchmarkVideo], minutes: float) -> BenchmarkVideo:
    """The first narrations in a row, as long as that."""
    seconds = [float(video.frames / video.rate) for video in videos]
    count = next(n for n in range(1, len(videos) + 1) if sum(seconds[:n]) >= 60 * minutes)
    whole = joined(videos[:count])
    said = whole.narration.cues if whole.narration else ()
    kept = Narration(tuple(cue for cue in said if cue.end <= 60 * minutes))
    return replace(whole, frames=int(60 * minutes * whole.rate), narration=kept, document=videos[0].document)


def measured(encoder: NarratedEncoder, video: BenchmarkVideo) -> str:
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    encoder.encode(video, video.document, video.narration)
    taken, after = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{taken:.2f} CPU s, {(after - before) / 1024:.0f} MB more"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=20)
    chosen = parser.parse_args()
    video = talk(narrated.load(chosen.data, "training"), chosen.minutes)
    lines = video.narration.cues if video.narration else ()
    words = sum(len(cue.text.split()) for cue in lines)
    print(f"{chosen.minutes:g} minutes, {words} words, {len(video.document)} sentences")
    for name, encoder in (("narrated-plain", NarratedEncoder(learned=False)), ("narrated", NarratedEncoder())):
        for run in ("first", "second"):
            print(f"{name}, {run} run: {measured(encoder, video)}")


if __name__ == "__main__":
    main()
