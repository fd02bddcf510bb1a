"""What `saffa reproduce` measures on: a benchmark's test split with its encoder and target speed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from saffa.encoders.base import Encoder
from saffa.encoders.stored import StoredEncoder
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.coin import DOMAINS, DROPPED
from saffa.research.datasets.dataset import FileVideo, FoundVideos, find_files
from saffa.research.datasets.registry import WantedVideos, encoder_for, encoder_name, find_dataset, load_videos
from saffa.research.datasets.store import NamedEncoder, axis_of
from saffa.research.evaluation.texts import with_texts
from saffa.storage.fingerprint import code_print, content_print, fingerprint


@dataclass(frozen=True)
class Bench:
    """A benchmark as the tables know it. `blind`: no pictures and no narration are here, only annotations."""

    name: str
    split: str
    training: str
    speed: float
    short: str
    """Part of the names of agents that were trained on it."""
    about: str
    encoder: str = "auto"
    compares: bool = True
    """Whether its numbers may be set beside the paper's."""
    domain: str | None = None
    """COIN is evaluated domain by domain."""
    eyes: str = ""
    """Which of the paper's encoders sees the videos, where it is not the benchmark's own."""
    methods: tuple[str, ...] | None = None
    """Only these are of interest; None: all."""
    wrong_texts: bool = False
    """Every video has the text of another one; its true steps stay."""

    @property
    def blind(self) -> bool:
        """Only methods that look at nothing can run."""
        return self.encoder == "none"

    @property
    def from_files(self) -> bool:
        """Methods that look at pictures are shown video files."""
        return bool(find_dataset(self.name).files) and not self.blind

    @property
    def label(self) -> str:
        """The bench's name in headings."""
        part = f" ({self.domain or self.eyes})" if self.domain or self.eyes else ""
        return f"{self.name}{part}, {self.split}, {self.speed:g}×"

    @property
    def key(self) -> str:
        """The bench's name in file names."""
        return self.short if self.eyes else self.name


NARRATED = Bench(
    "youcook2-narrated",
    "validation",
    "training",
    12,
    "narrated",
    "40 of the 457 YouCook2 validation videos, with what is said in them as the input of the encoder",
    "narrated-plain",
)
MSVD_LONG = Bench(
    "msvd-long",
    "test",
    "train",
    12,
    "msvd-long",
    "100 videos put together from MSVD clips, known by VGG16 features; it is not in the paper",
    compares=False,
)
MSVD_VDAN_PLUS = replace(
    MSVD_LONG,
    short="msvd-vdan-plus",
    about="the same videos seen by the paper's VDAN+, trained on the training clips (docs/method/vdan.md)",
    encoder="vdan-plus-msvd",
    eyes="VDAN+",
    methods=("uniform", "middle", "non-rl", "saffa-published", "saffa", "plan", "oracle"),
)
MSVD_VDAN = replace(
    MSVD_LONG,
    short="msvd-vdan",
    about="the same videos seen by VDAN, the encoder of SFF-RL, trained on the same clips",
    encoder="vdan-msvd",
    eyes="VDAN",
    methods=("uniform", "middle", "non-rl", "sff-rl", "saffa", "plan", "oracle"),
)
YOUCOOK2 = Bench(
    "youcook2",
    "validation",
    "training",
    12,
    "youcook2",
    "YouCook2 validation by its annotations alone (videos with a known number of frames)",
    "none",
)
COIN = Bench(
    "coin",
    "testing",
    "training",
    16,
    "coin",
    "COIN testing by its annotations alone, ten domains (videos with a known number of frames)",
    "none",
)
PAPER_EYES = (MSVD_VDAN_PLUS, MSVD_VDAN)
"""The paper's pairs of encoder and agent; in `table2` and `ablation`, wherever msvd-long is."""
TABLES = {"table1": (NARRATED, YOUCOOK2), "table2": (MSVD_LONG, *PAPER_EYES, COIN)}
"""The paper's Table 1 has two halves: YouCook2 and COIN."""


def with_videos(bench: Bench, data: Path, encoder: str) -> tuple[Bench, ...]:
    """The bench from pictures where its videos are here (COIN: one per domain, as in the paper), else nothing."""
    folder = find_dataset(bench.name).files
    if not folder or not find_files(data / folder):
        return ()
    about = f"{bench.name} {bench.split} from its video files"
    if bench.name != "coin":
        return (replace(bench, encoder=encoder, about=about),)
    kept = {code: domain for code, domain in DOMAINS.items() if domain not in DROPPED}
    return tuple(
        replace(bench, encoder=encoder, about=f"{about}, {domain}", short=f"coin-{code}", domain=domain)
        for code, domain in kept.items()
    )


@dataclass(frozen=True, eq=False)
class Material:
    """A bench with its data; videos and encoder are loaded when they are first asked for."""

    bench: Bench
    data: Path
    store: Path | None = None

    @cached_property
    def found(self) -> FoundVideos:
        """The test split."""
        found = self._load(self.bench.split)
        return replace(found, videos=with_texts(found.videos, wrong=True)) if self.bench.wrong_texts else found

    @property
    def videos(self) -> tuple[BenchmarkVideo, ...]:
        """Videos of the test split."""
        return self.found.videos

    @cached_property
    def encoder(self) -> Encoder:
        """The bench's encoder, with the store if there is one."""
        return self.named_encoder.load()

    @property
    def named_encoder(self) -> NamedEncoder:
        """The bench's encoder by its name, for other processes."""
        return NamedEncoder(encoder_name(self.bench.name, self.bench.encoder), self.store)

    def bare_encoder(self) -> Encoder:
        """The bench's encoder without store and cache: every answer is computed."""
        return encoder_for(self.bench.name, self.bench.encoder, keep=False)

    @cached_property
    def print(self) -> str:
        """Hash of all that the scores of a method depend on, beside the method: videos, steps, encoder."""
        plain = self.encoder.encoder if isinstance(self.encoder, StoredEncoder) else self.encoder
        files = any(isinstance(video, FileVideo) for video in self.videos)
        parts = [fingerprint(code_print(type(plain).__module__, without="" if files else "media"), plain)]
        for video in self.videos:
            parts += [video.id, repr(video.steps), content_print(axis_of(video), video.document, video.narration)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def training_videos(self) -> tuple[BenchmarkVideo, ...]:
        """Videos of the training split."""
        return self._load(self.bench.training).videos

    def _load(self, split: str) -> FoundVideos:
        return load_videos(self.bench.name, WantedVideos(self.data, split, self.bench.blind, domain=self.bench.domain))
