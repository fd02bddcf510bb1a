"""The published model files: their names, where they come from, where they are kept, whether they are whole."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from saffa.core.errors import InputError, SaffaError
from saffa.core.whole_file import file_sha256
from saffa.storage.store import cache_folder

_TPAMI = "https://github.com/verlab/TextDrivenVideoAcceleration_TPAMI_2022/releases/download/pre_release"
_CVPR = "https://github.com/verlab/StraightToThePoint_CVPR_2020/releases/download/v1.0.0"
_IG65M = "https://github.com/moabitcoin/ig65m-pytorch/releases/download/v1.0.0"

CHUNK = 1 << 20
TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 4  # each goes on where the last one broke off

Received = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes expected, if known."""


@dataclass(frozen=True)
class Published:
    """A file its authors offer. `sha256` may be a prefix (torch.hub puts one in names); None where none is known."""

    name: str
    url: str
    kind: str
    about: str
    licence: str
    sha256: str | None = None
    size: int | None = None

    @property
    def file(self) -> str:
        """The name it is kept under."""
        return self.url.rsplit("/", 1)[1]


# None of these was downloaded where this table was written: no sizes are known, and one hash.
PUBLISHED = (
    Published(
        "vdan+",
        f"{_TPAMI}/vdan+_pretrained_model.pth",
        "encoder",
        "VDAN+ trained on VaTeX, with its backbone and vocabulary",
        "GPL-3.0 repository",
    ),
    Published(
        "saffa-youcook2",
        f"{_TPAMI}/youcookii_saffa_model.pth",
        "agent",
        "SAFFA agent trained on YouCook2 with VDAN+",
        "GPL-3.0 repository",
    ),
    Published(
        "vdan-coco",
        f"{_CVPR}/vdan_pretrained_model.pth",
        "encoder",
        "VDAN (CVPR 2020) trained on COCO",
        "GPL-3.0 repository",
    ),
    Published(
        "sff-rl",
        f"{_CVPR}/sff_rl_vdan_model-12547244.pth",
        "agent",
        "VDAN with the CVPR 2020 agent, one file",
        "GPL-3.0 repository",
    ),
    Published(
        "ig65m",
        f"{_IG65M}/r2plus1d_34_clip32_ig65m_from_scratch-449a7af9.pth",
        "backbone",
        "R(2+1)D-34 trained on IG-65M; only to train VDAN+ anew (its checkpoint has its own copy)",
        "MIT",
        sha256="449a7af9",
    ),
    Published(
        "glove",
        "https://nlp.stanford.edu/data/glove.6B.zip",
        "words",
        "GloVe 6B word vectors; only to train (checkpoints carry theirs)",
        "PDDL",
    ),
)


def models_folder() -> Path:
    """Published files and imported models, one per name: $SAFFA_MODELS, or `models` in the cache folder."""
    given = os.environ.get("SAFFA_MODELS")
    return Path(given).expanduser() if given else cache_folder() / "models"


def published(name: str) -> Published:
    """The entry of that name."""
    for entry in PUBLISHED:
        if entry.name == name:
            return entry
    names = ", ".join(entry.name for entry in PUBLISHED)
    raise InputError(f"There is no published model {name!r}. Known: {names}.")


def fetch(entry: Published, *, offline: bool = False, progress: Received | None = None) -> Path:
    """The file of an entry, downloaded if it is not here."""
    target = models_folder() / entry.file
    if target.is_file():
        return target
    if offline:
        raise InputError(f"{entry.file} is not here and --offline is set. Get {entry.url} and save it as {target}.")
    return download(entry.url, target, sha256=entry.sha256, size=entry.size, progress=progress)


def verify(path: Path, sha256: str | None, size: int | None = None) -> str:
    """The file's SHA-256; SaffaError if it is not the expected one (a prefix is enough) or the size is another."""
    if size is not None and path.stat().st_size != size:
        raise SaffaError(f"{path.name} has {path.stat().st_size} bytes instead of {size}: it is not whole.")
    found = file_sha256(path)
    if sha256 is not None and not found.startswith(sha256.lower()):
        raise SaffaError(f"{path.name} has SHA-256 {found[:16]}… instead of {sha256}: damaged, or another file.")
    return found


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    size: int | None = None,
    progress: Received | None = None,
) -> Path:
    """Fetch a file whole or not at all. What a broken download left (`.part`) is continued, also by a later call."""
    if not url.startswith(("https://", "http://")):
        raise InputError(f"{url} is not a web address.")
    part = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(ATTEMPTS):
            try:
                _continue(url, part, progress)
                break
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError) or attempt == ATTEMPTS - 1:
                    raise
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise SaffaError(f"Could not download {url} ({reason}). Try again, or save it yourself as {target}.") from None
    try:
        verify(part, sha256, size)
    except SaffaError:
        _forget(part)
        raise
    part.replace(target)
    _forget(part)
    return target


def _continue(url: str, part: Path, progress: Received | None) -> None:
    """Append what is missing. The server's tag tells whether it is still the same file; without one, start anew."""
    tag = _tag_file(part)
    have = part.stat().st_size if part.is_file() and tag.is_file() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "saffa", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", tag.read_text("utf-8"))
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:  # nothing lies behind what is here: then it is all here, or it is wrong
            raise
        total = (error.headers.get("Content-Range") or "").rpartition("/")[2]
        if total != str(have):
            _forget(part)
            raise ConnectionError("what was downloaded before does not fit the file") from None
        return
    with answer:
        have = have if answer.status == 206 else 0
        left = answer.headers.get("Content-Length")
        total_size = have + int(left) if left is not None else None
        _remember(tag, answer.headers.get("ETag") or answer.headers.get("Last-Modified"))
        with part.open("ab" if have else "wb") as file:
            while block := answer.read(CHUNK):
                file.write(block)
                have += len(block)
                if progress:
                    progress(have, total_size)
    if total_size is not None and have != total_size:
        raise ConnectionError(f"the connection broke after {have} of {total_size} bytes")


def _tag_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.tag")


def _remember(tag: Path, value: str | None) -> None:
    if value and not value.startswith("W/"):  # a weak tag does not promise equal bytes
        tag.write_text(value, "utf-8")
    else:
        tag.unlink(missing_ok=True)


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _tag_file(part).unlink(missing_ok=True)
