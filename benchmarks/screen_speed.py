"""Reading the screen against decoding alone, and a lecture: `python -m benchmarks.screen_speed [--film FILE...]`.

An ordinary film is five minutes of 720p H.264 without a letter (the input of `render_speed`), or those given. `auto`
and `on` are what `--read-screen` does; each ratio is the median of `--rounds` runs side by side with decoding all.
The lecture has ten minutes of 720p and 32 lines (`examples/make_lecture.py`); it is read in a process of its own, whose
peak memory is told. `--lecture FILE` takes one that was made before.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.render_speed import make_inputs
from benchmarks.visual_speed import decode_all, timed
from saffa.media.probe import probe
from saffa.screens.screen_text import glance, looks_written, read_screen

MAKER = Path(__file__).parents[1] / "examples" / "make_lecture.py"
MEASURE = """
import json, resource, sys, time
from pathlib import Path
from saffa.media.probe import probe
from saffa.screens.screen_text import glance, read_screen
video = probe(Path(sys.argv[1]))
wall, cpu = time.perf_counter(), time.process_time()
lines = read_screen(video, glance(video), asked=False).lines
spent = [time.perf_counter() - wall, time.process_time() - cpu]
print(json.dumps([*spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, [c.text for c in lines]]))
"""


def reading(path: Path, asked: bool) -> int:
    """Lines that are found; loading the recogniser counts where it is needed."""
    video = probe(path)
    seen = glance(video)
    return len(read_screen(video, seen, asked=asked).lines) if asked or looks_written(seen) else 0


def film(path: Path, rounds: int) -> str:
    works = (lambda: decode_all(path), lambda: reading(path, False), lambda: reading(path, True))
    runs = [[timed(work)[1:] for work in works] for _ in range(rounds)]
    auto, on = (statistics.median(run[k][0] / run[0][0] for run in runs) for k in (1, 2))
    lines = f"{runs[0][1][1]} / {runs[0][2][1]}"
    return (
        f"| {path.name} | {float(probe(path).duration):.0f} s | {runs[0][0][0]:.1f} | {auto:.2f} | {on:.2f} | {lines} |"
    )


def lecture(path: Path) -> str:
    decoding = timed(lambda: decode_all(path))
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    wall, cpu, peak, lines = json.loads(done.stdout.splitlines()[-1])
    slides = json.loads(path.with_suffix(".json").read_text("utf-8"))
    found = sum(title in lines for title in slides)
    return (
        f"{path.name}: {len(lines)} lines, {found} of {len(slides)} titles; {wall:.0f} s, {cpu:.1f} CPU s "
        f"({cpu / decoding[1]:.2f} of decoding), peak {peak:.0f} MB"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--film", type=Path, nargs="*", help="ordinary films")
    parser.add_argument("--lecture", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        films = given.film
        if not films:
            make_inputs(Path(folder), 5)
            films = [Path(folder) / "5.mp4"]
        print(
            "| film | length | decoding, CPU s | auto, of it | on, of it | lines auto / on |\n|---|---|---|---|---|---|"
        )
        for path in films:
            print(film(path, given.rounds), flush=True)
        made = given.lecture
        if made is None:
            made = Path(folder) / "lecture.mp4"
            subprocess.run([sys.executable, str(MAKER), str(made)], check=True)
        print(lecture(made))


if __name__ == "__main__":
    main()
