"""A person's own clips for the published network: 32 frames at a time, as VaTeX's are given to it."""

from __future__ import annotations

from saffa.core.errors import InputError
from saffa.core.types import Share
from saffa.media.probe import probe
from saffa.research.datasets.captioned_folder import PICTURES, TRAIN, VAL, CaptionedFolder
from saffa.research.datasets.vatex import VatexClips


def own_clips(folder: CaptionedFolder, progress: Share = lambda _: None) -> list[VatexClips]:
    """Training and validation clips, each the whole of its file; a picture has no 32 frames and is refused."""
    for name in folder.captions:
        if (folder.path / name).suffix.lower() in PICTURES:
            raise InputError(f"{folder.path / name} is a picture; --backbone looks at clips. Leave --backbone out.")
    videos = {}
    for done, name in enumerate(folder.captions):
        videos[name] = probe(folder.path / name)
        progress((done + 1) / len(folder.captions))
    parts = [[name for name, split in folder.splits.items() if split == wanted] for wanted in (TRAIN, VAL)]
    return [
        VatexClips(
            tuple(videos[name] for name in names),
            tuple(range(videos[name].frames) for name in names),
            tuple(folder.captions[name] for name in names),
            fingerprint=folder.fingerprint,
        )
        for names in parts
    ]
