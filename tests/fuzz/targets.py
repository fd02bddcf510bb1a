"""What is done with a hostile file of each kind, in the same process: it may end well or in an error of saffa's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from saffa.api import accelerate, export, select
from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.timeline import Timeline
from saffa.encoders.replay import NoEncoder
from saffa.media.subtitles.lines import load
from saffa.media.writer import RenderOptions
from saffa.scale.choices import BatchChoices
from saffa.scale.jobs import Texts, read_jobs
from saffa.storage.models import shipped
from tests.fuzz import seeds
from tests.fuzz.mutations import damaged, damaged_json, damaged_text

EXPORTS = ("otio", "fcpxml", "premiere", "edl", "csv", "mpv")


@dataclass(frozen=True)
class Target:
    """A kind of file: good ones, how one is damaged, what is done with it, and the command that reads it.

    `use` gets the file, an empty folder for outputs, the folder of good files and random numbers. In `command`, FILE is
    the file and SEEDS the folder of good files; outputs are called `out.*`.
    """

    seeds: Callable[[Path], list[Path]]
    use: Callable[[Path, Path, Path, Random], object]
    damage: Callable[[bytes, Random, bytes], bytes]
    command: tuple[str, ...]


def _watch(file: Path, out: Path, _: Path, random: Random) -> object:
    options = RenderOptions(allow_damage=random.random() < 0.3, preset="ultrafast")
    once = random.random() < 0.25
    method = "saffa" if once else "uniform"
    return accelerate(
        file, seeds.TEXT, speed=3, method=method, encoder=NoEncoder(), output=out / "out.mkv", listen="off",
        options=options, single_pass=once,
    )  # fmt: skip


def _read(file: Path, _o: Path, _s: Path, random: Random) -> object:
    return Document.from_file(file, part=random.choice(("steps", "all")))


def _lines(file: Path, _o: Path, _s: Path, _r: Random) -> object:
    return load(file)


def _beside(file: Path, good: Path) -> None:
    """Let a file find the good ones that it names."""
    for other in (*good.glob("*.mkv"), good / "h264.mp4", good / "t.txt"):
        if other.exists() and not (file.parent / other.name).exists():
            (file.parent / other.name).symlink_to(other)


def _plan(file: Path, out: Path, good: Path, random: Random) -> object:
    _beside(file, good)
    if random.random() < 0.5:
        return Timeline.load(file).to_json()
    return export(file, random.choice(EXPORTS), out / "out")


def _choose(file: Path, _o: Path, _s: Path, random: Random) -> object:
    return select(Alignment.load(file), speed=3, method=random.choice(("uniform", "uniform", "plan")))


def _agent(file: Path, _o: Path, _s: Path, _r: Random) -> object:
    from saffa.methods.paper.loading import load_agent  # noqa: PLC0415
    from saffa.storage.checkpoints import read_checkpoint  # noqa: PLC0415

    if file.suffix == ".pth":
        return read_checkpoint(file)
    folder = shutil.copytree(shipped("sff-rl-narrated"), file.parent / "model", dirs_exist_ok=True)
    shutil.copyfile(file, folder / file.name)
    try:
        return load_agent(folder)
    finally:
        shutil.rmtree(folder)


def _jobs(file: Path, out: Path, good: Path, _: Random) -> object:
    _beside(file, good)
    texts = Texts(file=str(good / "t.txt"))
    return read_jobs(file, texts, BatchChoices(), out)


_PLAN = ("--encoder", "narrated", "--speed", "3", "--no-cache", "--listen", "off", "--dry-run", "--plot", "out.svg")
_SHORTEN = ("--method", "uniform", "--speed", "3", "--no-cache", "--listen", "off", "-o", "out.mkv")
TARGETS: dict[str, Target] = {
    "videos": Target(seeds.videos, _watch, damaged, ("accelerate", "FILE", "--text", "SEEDS/t.txt", *_SHORTEN)),
    "documents": Target(
        seeds.documents, _read, damaged_text, ("accelerate", "SEEDS/h264.mkv", "--text", "FILE", *_PLAN)
    ),
    "subtitles": Target(
        seeds.subtitles, _lines, damaged_text,
        ("accelerate", "SEEDS/mjpeg.avi", "--text", "SEEDS/t.txt", "--subtitles", "FILE", *_SHORTEN),
    ),
    "timelines": Target(seeds.timelines, _plan, damaged_json, ("render", "FILE", "-o", "out.mkv")),
    "alignments": Target(seeds.alignments, _choose, damaged, ()),
    "models": Target(seeds.models, _agent, damaged, ("models", "import", "FILE", "--name", "out.model")),
    "lists": Target(seeds.lists, _jobs, damaged_text, ()),
}  # fmt: skip
"""By kind. Whoever reads another kind of file, or requests from a network, adds an entry here."""
