"""Encoders by name: what is told of each is what it does."""

from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Extent
from saffa.encoders.base import StreamingEncoder
from saffa.encoders.registry import EncoderEntry, encoders, entry_of, load_encoder, open_model
from tests.encoders.colours import tiny_clip

TEXT = Document(("Boil the water.",))


def made(entry: EncoderEntry, folder: Path) -> object:
    return load_encoder(f"{entry.name}:{tiny_clip(folder / 'tiny')}" if entry.takes_model else entry.name)


@pytest.mark.parametrize("entry", encoders(), ids=lambda entry: entry.name)
def test_an_entry_tells_the_truth(entry: EncoderEntry, tmp_path: Path) -> None:
    encoder = made(entry, tmp_path)
    assert getattr(encoder, "name").partition(":")[0] == entry.name  # noqa: B009
    assert getattr(encoder, "streaming") == entry.streaming == isinstance(encoder, StreamingEncoder)  # noqa: B009
    if entry.needs:
        with pytest.raises(InputError, match="subtitles" if "narration" in entry.needs else "video file"):
            encoder.encode(Extent(300, Fraction(25)), TEXT, None)  # type: ignore[attr-defined]


def test_names_are_told_apart() -> None:
    names = [entry.name for entry in encoders()]
    assert len(set(names)) == len(names)
    assert not entry_of("none").reads_text
    assert not entry_of("narrated").looks
    assert entry_of("clip:some/folder").takes_model
    assert (entry_of("visual").visited, entry_of("narrated-live").space) == ("visual-live", "narrated")


def test_what_has_no_entry_looks_at_pictures_and_can_do_nothing_special() -> None:
    entry = entry_of("somebody's")
    assert entry.looks
    assert entry.reads_text
    assert not (entry.streaming or entry.space or entry.visited or entry.takes_model)
    with pytest.raises(InputError, match=r"no model .somebody's.*takes auto, narrated, "):
        load_encoder("somebody's")


def test_an_agent_is_no_encoder() -> None:
    with pytest.raises(InputError, match="kind agent, not an encoder"):
        open_model("saffa-narrated")
