"""All datasets by name: how each is loaded, and which questions it can answer.

A new dataset is one file that loads it and one entry here; an entry of your own may also be given wherever a name is
(docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from saffa.core.errors import InputError
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.research.datasets import assembled, coin, msvd_long, narrated, youcook2
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.dataset import AnnotatedVideo, FoundVideos, open_files, split_named, without_files
from saffa.storage.store import user_cache


@dataclass(frozen=True)
class WantedVideos:
    """Which videos of a dataset are wanted, and with which texts."""

    data: Path
    split: str
    blind: bool = False
    """Annotations are enough: nobody looks at the videos."""
    shuffled_documents: bool = False
    """Each video with the text of another, as the dataset itself pairs them."""
    other_half: bool = False
    """Each video with the steps that its text leaves out."""
    domain: str | None = None


@dataclass(frozen=True)
class Dataset:
    """A dataset as `saffa evaluate` and `saffa data` know it."""

    name: str
    load: Callable[[WantedVideos], FoundVideos | Sequence[BenchmarkVideo]] = field(repr=False)
    answers: tuple[str, ...] = ()
    """The fields of `WantedVideos` beside the split that mean something: shuffled_documents, other_half, domain."""
    encoder: str = "auto"
    """What `--encoder auto` takes."""
    files: str = ""
    """Folder below the data with the videos themselves; empty where features or speech stand for them."""


def datasets() -> dict[str, Dataset]:
    """All datasets by name, in the order of the help."""
    known = (
        Dataset(narrated.COOKING, lambda w: narrated.load(w.data, w.split)),
        *(Dataset(name, partial(_narrated, name), ("other_half",)) for name in narrated.OTHERS),
        # msvd-long's videos are given in a feature space of their own, which only this encoder reads.
        Dataset("msvd-long", partial(_paired, msvd_long.load), ("shuffled_documents",), encoder="msvd-plus"),
        Dataset("assembled", partial(_paired, assembled.load), ("shuffled_documents",)),
        Dataset("youcook2", _youcook2, files=youcook2.FOLDER),
        Dataset("coin", _coin, ("domain",), files=coin.FOLDER),
    )
    return {dataset.name: dataset for dataset in known}


def find_dataset(dataset: str | Dataset) -> Dataset:
    """An entry by name, or as it is."""
    if isinstance(dataset, Dataset):
        return dataset
    known = datasets()
    if dataset not in known:
        raise InputError(f"Unknown benchmark {dataset!r}. Use one of: {', '.join(known)}.")
    return known[dataset]


def load_videos(dataset: str | Dataset, wanted: WantedVideos) -> FoundVideos:
    """The videos that can be used, at least one; InputError for a question that the dataset cannot answer."""
    chosen = find_dataset(dataset)
    for question in ("shuffled_documents", "other_half", "domain"):
        if getattr(wanted, question) and question not in chosen.answers:
            able = ", ".join(one.name for one in datasets().values() if question in one.answers)
            raise InputError(f"--{question.replace('_', '-')} is for {able} only.")
    videos = chosen.load(wanted)
    found = videos if isinstance(videos, FoundVideos) else FoundVideos(tuple(videos))
    if not found.videos:
        part = "" if wanted.domain is None else f" in the domain {wanted.domain}"
        raise InputError(f"{chosen.name} has no videos{part} in the split {wanted.split!r}.")
    return found


def encoder_for(dataset: str | Dataset, encoder: str, *, keep: bool = True) -> Encoder:
    """Load an encoder by name; `auto` is the dataset's own. Without `keep` it remembers no video it has seen."""
    return load_encoder(encoder_name(dataset, encoder), cache=user_cache() if keep else None)


def encoder_name(dataset: str | Dataset, encoder: str) -> str:
    """The name of the encoder that is meant by `auto`, or by its own."""
    return find_dataset(dataset).encoder if encoder == "auto" else encoder


def _paired(load: Callable[..., Sequence[BenchmarkVideo]], wanted: WantedVideos) -> Sequence[BenchmarkVideo]:
    return load(wanted.data, wanted.split, shuffled_documents=wanted.shuffled_documents)


def _narrated(name: str, wanted: WantedVideos) -> Sequence[BenchmarkVideo]:
    return narrated.load(wanted.data, wanted.split, name, other_half=wanted.other_half)


def _youcook2(wanted: WantedVideos) -> FoundVideos:
    subset = split_named("youcook2", wanted.split, youcook2.SUBSETS)
    return _on_disk(youcook2.load(wanted.data), subset, wanted, youcook2.FOLDER)


def _coin(wanted: WantedVideos) -> FoundVideos:
    """COIN without the domains that the paper drops, unless one is named."""
    domain = None if wanted.domain is None else coin.domain_of(wanted.domain)
    subset = split_named("coin", wanted.split, coin.SUBSETS)
    return _on_disk(coin.in_protocol(coin.load(wanted.data), domain), subset, wanted, coin.FOLDER)


def _on_disk(videos: Sequence[AnnotatedVideo], subset: str, wanted: WantedVideos, folder: str) -> FoundVideos:
    entries = [video for video in videos if video.subset == subset]
    return without_files(entries) if wanted.blind else open_files(entries, wanted.data / folder)
