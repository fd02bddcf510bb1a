"""All encoders by name, what each can do, and how it is made. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from saffa.core.errors import InputError
from saffa.core.types import Share
from saffa.core.whole_file import file_sha256
from saffa.encoders.base import Encoder
from saffa.storage.models import MANIFEST, ModelFolder, find, not_found, shipped
from saffa.storage.published_models import models_folder
from saffa.storage.store import Store

Sense = Literal["narration", "pictures"]


@dataclass(frozen=True)
class EncoderEntry:
    """An encoder as `--encoder` and the tables know it."""

    name: str
    label: str
    """Short description of what it compares with the text, for people."""
    make: Callable[[str, Store | None, Share], Encoder] = field(repr=False)
    """Called with what follows the name and a colon, a store for what is seen in videos, and a progress callback."""
    needs: tuple[Sense, ...] = ("pictures",)
    streaming: bool = False
    """Whether it can answer while a video is read once."""
    reads_text: bool = True
    supervised: bool = False
    """Whether it learned from step boundaries."""
    takes_model: bool = False
    """Whether the name of a model follows its own, after a colon."""
    space: str = ""
    """The encoder whose embeddings it shares, so that agents of that one fit; empty: its own."""
    visited: str = ""
    """Name of the scale of its answers when moments are asked about one by one; empty: that of whole videos."""
    scale: tuple[float, float] | None = None
    """Mean and deviation of its relevance on training videos, for agents whose manifest does not know it."""
    may_hear: bool = False
    """Whether it uses what is said where that is known, without needing it."""

    @property
    def hears(self) -> bool:
        """Whether what is said can change its answers."""
        return self.may_hear or "narration" in self.needs

    @property
    def looks(self) -> bool:
        """Whether it looks at pictures, which takes so long that results are worth keeping."""
        return "pictures" in self.needs


def encoders() -> tuple[EncoderEntry, ...]:
    """All encoders that have a name of their own."""
    return (
        EncoderEntry(
            "auto", "what the file offers: speech and pictures, or pictures", _auto, streaming=True, may_hear=True
        ),
        EncoderEntry("narrated", "subtitles", _narrated, ("narration",), streaming=True, supervised=True),
        EncoderEntry(
            "narrated-plain",
            "subtitles, nothing learned",
            _narrated_plain,
            ("narration",),
            streaming=True,
            space="narrated",
            scale=(0.492, 0.302),
        ),
        EncoderEntry(
            "narrated-live", "subtitles as they come", _live, ("narration",), streaming=True, space="narrated"
        ),
        EncoderEntry("visual", "pictures", _visual, streaming=True, visited="visual-live"),
        EncoderEntry("vdan", "pictures, by the paper's VDAN", _vdan, streaming=True),
        EncoderEntry("fused", "subtitles and pictures", _fused, ("narration", "pictures"), supervised=True),
        EncoderEntry("clip", "pictures, by a CLIP model (--model)", _clip, streaming=True, takes_model=True),
        EncoderEntry("none", "nothing: every moment counts the same", _none, (), streaming=True, reads_text=False),
    )


KINDS = {
    "vdan_plus": "saffa.encoders.vdan.encoder:VdanPlusEncoder.of_folder",
    "vdan": "saffa.encoders.vdan.encoder:VdanPlusEncoder.of_folder",
    "picture_vdan": "saffa.encoders.vdan.picture_encoder:PictureVdanEncoder.of_folder",
    "contrastive": "saffa.research.training.contrastive.encoder:open_contrastive",
}
"""Openers of model folders by kind; called with the folder, what follows an @ in the name, and options."""
IMPORT = "saffa.research.training.vdan.importing:import_checkpoint"


def entry_of(name: str) -> EncoderEntry:
    """The entry of an encoder; that of a model, or of an encoder of others, looks at pictures and has no abilities."""
    first = name.partition(":")[0]
    known = {entry.name: entry for entry in encoders()}
    return known.get(first) or EncoderEntry(
        name, name, lambda _, cache, progress: open_model(name, cache=cache, progress=progress)
    )


def load_encoder(name: str = "auto", *, cache: Store | None = None, progress: Share = lambda _: None) -> Encoder:
    """An encoder by its name, or by the name or path of a model (`clip:FOLDER` for those of the CLIP family).

    With a `cache`, what was seen in a video is kept for the next text. `progress` hears how far a look at it is.
    """
    return entry_of(name).make(name.partition(":")[2], cache, progress)


def open_model(name: str | Path, **options: Any) -> Any:
    """An encoder by the name of a model (imported or shipped), by its folder's path, or straight from a `.pth` file.

    A `.pth` is imported on first use (PyTorch needed once) and found again by its contents. `options` are those of the
    kind of model, for example `cache` and `progress`, or `stride` and `threads` of VDAN+.
    """
    base, _, reading = str(name).partition("@")
    path = find(name, (MANIFEST,)) or find(base, (MANIFEST,))
    if path is None:
        names = ", ".join(entry.name for entry in encoders())
        raise not_found("model", name, f"--encoder takes {names}, a path or a name from `saffa models list`.")
    folder = ModelFolder.open(path) if path.is_dir() else _imported(path)
    if folder.kind not in KINDS:
        raise InputError(f"{folder.name} is a model of kind {folder.kind}, not an encoder.")
    return _attribute(KINDS[folder.kind])(folder, reading, **options)


def _imported(path: Path) -> ModelFolder:
    folder = models_folder() / f"{path.stem}-{file_sha256(path)[:12]}"
    if (folder / MANIFEST).is_file():
        return ModelFolder.open(folder)
    imported: list[ModelFolder] = _attribute(IMPORT)(path, folder)
    return imported[0]


def _attribute(place: str) -> Any:
    """`package.module:Name.attribute`, imported when it is asked for."""
    module, _, names = place.partition(":")
    found: Any = import_module(module)
    for name in names.split("."):
        found = getattr(found, name)
    return found


def _narrated(*_: object) -> Encoder:
    from saffa.encoders.narrated.encoder import NarratedEncoder  # noqa: PLC0415

    return NarratedEncoder()


def _narrated_plain(*_: object) -> Encoder:
    from saffa.encoders.narrated.encoder import NarratedEncoder  # noqa: PLC0415

    return NarratedEncoder(learned=False)


def _live(*_: object) -> Encoder:
    from saffa.encoders.narrated.live import NarratedLiveEncoder  # noqa: PLC0415

    return NarratedLiveEncoder()


def _visual(_: str, cache: Store | None, progress: Share) -> Any:
    from saffa.encoders.visual.encoder import VisualEncoder  # noqa: PLC0415

    return VisualEncoder(cache=cache, progress=progress)


def _vdan(_: str, cache: Store | None, progress: Share) -> Encoder:
    folder = ModelFolder.open(shipped("vdan"))
    encoder: Encoder = _attribute(KINDS[folder.kind])(folder, "", cache=cache, progress=progress)
    return encoder


def _clip(model: str, cache: Store | None, progress: Share) -> Encoder:
    from saffa.encoders.visual.clip import ClipModel, ClipVision, clip_folder  # noqa: PLC0415
    from saffa.encoders.visual.encoder import VisualEncoder  # noqa: PLC0415

    folder = clip_folder(model)
    return VisualEncoder(ClipModel(folder), ClipVision(folder), cache, progress, f"clip:{folder.name}")


def _fused(_: str, cache: Store | None, progress: Share) -> Encoder:
    from saffa.encoders.fused import FusedEncoder  # noqa: PLC0415

    return FusedEncoder(_visual("", cache, progress))


def _auto(_: str, cache: Store | None, progress: Share) -> Encoder:
    from saffa.encoders.fused import AutoEncoder  # noqa: PLC0415

    return AutoEncoder(_visual("", cache, progress))


def _none(*_: object) -> Encoder:
    from saffa.encoders.replay import NoEncoder  # noqa: PLC0415

    return NoEncoder()
