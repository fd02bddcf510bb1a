"""Every format, written and read back by an independent reader: positions equal to the frame, total equal."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.errors import InputError
from saffa.core.source_file import SourceFile
from saffa.core.timeline import Source, Timeline, segments_between
from saffa.export import FORMATS, format_named
from saffa.export.edit import Edit
from saffa.export.timecode import can_drop, timebase
from tests.export import readers

GOLDEN = Path(__file__).with_name("golden")
RATES = [Fraction(24_000, 1001), Fraction(24), Fraction(25), Fraction(30_000, 1001), Fraction(50)]
RATES += [Fraction(60_000, 1001), Fraction(240), Fraction(15), Fraction(25, 2)]


def timeline(skips: list[int], rate: Fraction, cut: tuple[int, int] | None = None) -> Timeline:
    """A plan with these skips, a third of it for each of two sentences; `cut` is (slots before it, frames left out)."""
    frames = np.cumsum([0, *skips])
    third = len(skips) // 3
    owners = [None] * third + [0] * third + [1] * (len(skips) - 2 * third)
    edges = [Fraction(int(f)) / rate for f in frames]
    runs = segments_between(edges, rate, owners)
    if cut is not None:
        after, gap = cut[0], cut[1] / rate
        later = [edge + gap for edge in edges[after:]]
        frames = np.concatenate([frames[:after], frames[after:] + cut[1]])
        runs = (
            *segments_between(edges[: after + 1], rate, owners[:after]),
            *segments_between(later, rate, owners[after:]),
        )
    total = int(frames[-1])
    return Timeline(
        source=Source("/films/nudeln für alle.mp4", "ab" * 32, total, rate, total / rate),
        document=("Wasser kochen", "Nudeln hinein & <rühren>"),
        method="plan",
        encoder="narrated",
        target_speed=8.0,
        speed=total / len(skips),
        frames=tuple(frames[:-1].tolist()),
        runs=runs,
        confidence=(0.5, 0.875),
    )


def source(plan: Timeline, timecode: str = "") -> SourceFile:
    return SourceFile(plan.source.path, plan.source.frames, plan.source.rate, 1920, 1080, 48_000, 2, timecode=timecode)


def planned(edit: Edit) -> list[int]:
    return [clip.source_start + int(slot * clip.speed) for clip in edit.clips for slot in range(clip.frames)]


def read_back(edit: Edit) -> dict[str, list[int]]:
    """Source frame of every output frame, by format; without the source's first timecode."""
    text = {name: entry.text(edit) for name, entry in FORMATS.items()}
    first = edit.first_timecode
    edl = readers.read_edl(text["edl"], timebase(edit.rate), edit.drop_frame)
    return {
        "otio": readers.read_otio(text["otio"]),
        "otio sound": readers.read_otio(text["otio"], "Audio"),
        "fcpxml": readers.read_fcpxml(text["fcpxml"]),
        "premiere": readers.read_premiere(text["premiere"]),
        "premiere sound": readers.read_premiere(text["premiere"], "audio"),
        "edl": [frame - first for frame in edl],
        "csv": readers.read_csv(text["csv"]),
        "mpv": readers.read_mpv(text["mpv"], edit.rate),
    }


def check(plan: Timeline, edit: Edit) -> None:
    wanted = planned(edit)
    assert len(wanted) == len(plan.frames)
    for clip in edit.clips:  # edges are exactly as planned
        assert clip.source_start == plan.frames[clip.start]
    for name, frames in read_back(edit).items():
        assert frames == wanted, name


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("handles", [False, True])
def test_positions_are_equal_to_the_frame_at_every_rate(rate: Fraction, handles: bool) -> None:
    skips = [12] * 200 + [1] * 300 + list(range(1, 26)) * 8 + [25] * 150
    plan = timeline(skips, rate)
    for timecode in ("", "10:59:58:00", *(["10:59:58;00"] if can_drop(rate) else [])):
        edit = Edit.of(plan, source(plan, timecode), "kurz", segments=12, handles=handles)
        assert 1 < len(edit.clips) <= 12
        assert edit.drop_frame == (";" in timecode)
        check(plan, edit)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 25), st.integers(1, 60)), min_size=1, max_size=30),
    st.sampled_from(RATES),
    st.integers(2, 60),
    st.booleans(),
    st.data(),
)
def test_random_timelines(
    runs: list[tuple[int, int]], rate: Fraction, segments: int, handles: bool, data: st.DataObject
) -> None:
    skips = [skip for skip, times in runs for _ in range(times)]
    cut = None
    if len(skips) > 1 and data.draw(st.booleans()):
        cut = (data.draw(st.integers(1, len(skips) - 1)), data.draw(st.integers(1, 5000)))
    plan = timeline(skips, rate, cut)
    edit = Edit.of(plan, source(plan), "short", segments=segments, handles=handles)
    assert len(edit.clips) <= segments
    check(plan, edit)


def golden_edit() -> Edit:
    plan = timeline([8] * 60 + [1] * 90 + [2] * 30 + [25] * 40, Fraction(30_000, 1001), cut=(60, 450))
    return Edit.of(plan, source(plan, "01:00:00;00"), "kurz", segments=6)


@pytest.mark.parametrize("name", FORMATS)
def test_golden_files(name: str) -> None:
    """The files as they were checked against the formats' documents; a change has to be looked at and recorded."""
    made = FORMATS[name].text(golden_edit())
    kept = GOLDEN / f"short{FORMATS[name].suffix}"
    assert made == kept.read_bytes().decode("utf-8")


def test_a_change_of_speed_that_fits_costs_nothing() -> None:
    plan = timeline([8] * 60 + [1] * 90 + [25] * 40, Fraction(25))
    edit = Edit.of(plan, source(plan), "short", segments=60)
    assert planned(edit) == list(plan.frames)
    assert [clip.speed for clip in edit.clips] == [8, 1, 25]


def test_markers_name_the_steps_and_how_sure_they_are() -> None:
    edit = golden_edit()
    assert [(m.frame, m.title, m.note) for m in edit.markers] == [
        (73, "1. Wasser kochen", "confidence 0.50"),
        (146, "2. Nudeln hinein & <rühren>", "confidence 0.88"),
    ]
    assert "* LOC: 01:00:02;13 GREEN   1. Wasser kochen (confidence 0.50)" in FORMATS["edl"].text(edit)


def test_urls_survive_spaces_and_umlauts() -> None:
    plan = timeline([2] * 50, Fraction(25))
    edit = Edit.of(plan, source(plan), "short")
    assert edit.url == "file:///films/nudeln%20f%C3%BCr%20alle.mp4"
    beside = replace(edit, beside=Path("/films/edits"))
    assert beside.url == "../nudeln%20f%C3%BCr%20alle.mp4"
    windows = replace(edit, source=replace(edit.source, path="C:\\Filme\\nudeln für alle.mp4"))
    assert windows.url == "file:///C:/Filme/nudeln%20f%C3%BCr%20alle.mp4"
    assert windows.source.name == "nudeln für alle.mp4"


def test_hostile_texts_stay_text() -> None:
    plan = timeline([2] * 90, Fraction(25))
    nasty = replace(plan, document=("=cmd()|' /C calc'!A0", 'a\x00b\ud800\n"]]></name>\\'))
    edit = Edit.of(nasty, replace(source(nasty), path='/films/"; os.execute([[touch x]]) --.mp4'), "x\n001  AX")
    check(nasty, edit)
    assert "\r\n001  AX" not in FORMATS["edl"].text(edit).split("FCM")[0]
    assert "'=cmd()" in FORMATS["csv"].text(edit)
    assert 'local VIDEO = "/films/\\034; os.execute([[touch x]]) --.mp4"' in FORMATS["mpv"].text(edit)


def test_without_sound_there_is_no_sound_track() -> None:
    plan = timeline([2] * 50, Fraction(25))
    edit = Edit.of(plan, SourceFile(plan.source.path, plan.source.frames, Fraction(25)), "short")
    assert "AA/V" not in FORMATS["edl"].text(edit)
    assert "<audio>" not in FORMATS["premiere"].text(edit)
    assert "hasAudio" not in FORMATS["fcpxml"].text(edit)
    assert '"Audio"' not in FORMATS["otio"].text(edit)


def test_refusals() -> None:
    plan = timeline([2] * 50, Fraction(25), cut=(20, 100))
    with pytest.raises(InputError, match="--to 'avi' is not known; choose otio, fcpxml"):
        format_named("avi")
    with pytest.raises(InputError, match="--segments must be between 1 and 999, not 0"):
        Edit.of(plan, source(plan), "short", segments=0)
    with pytest.raises(InputError, match="The cuts leave 2 parts"):
        Edit.of(plan, source(plan), "short", segments=1)
    with pytest.raises(InputError, match=r"--drop-frame is for 29\.97"):
        Edit.of(plan, source(plan), "short", drop_frame=True)
