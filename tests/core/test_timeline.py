import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saffa.core.corrections import Cut, Keep, Skip, Weight
from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.core.timeline import Segment, Source, Timeline, gaps, merge_repeats, segments_of, timemap_of
from saffa.core.timeline_file import trusted_subtitles
from saffa.core.video import Video
from saffa.core.whole_file import file_sha256


def example() -> Timeline:
    return Timeline(
        source=Source("/films/pasta.mp4", "ab" * 32, 100, Fraction(30_000, 1001), Fraction(1001, 300)),
        document=("Boil water", "Überall Salz"),
        method="plan",
        encoder="narrated",
        target_speed=7.5,
        speed=100 / 13,
        frames=(0, 8, 54),
        runs=(
            Segment(Fraction(0), Fraction(1001, 3750), Fraction(8), None),
            Segment(Fraction(1001, 3750), Fraction(1001, 300), Fraction(46), 1),
        ),
    )


def test_survives_a_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    example().save(path)
    assert Timeline.load(path) == example()
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


def test_holds_are_there_only_where_a_frame_is_held(tmp_path: Path) -> None:
    assert "holds" not in example().to_json()
    path = tmp_path / "t.json"
    replace(example(), holds=(1, 3, 1)).save(path)
    assert json.loads(path.read_text("utf-8"))["holds"] == [1, 3, 1]
    assert Timeline.load(path).holds == (1, 3, 1)
    path.write_text(json.dumps(example().to_json() | {"holds": [1, 1, 1]}), "utf-8")
    assert Timeline.load(path) == example()


def test_times_are_exact_never_floats(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    example().save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["schema"] == "saffa.timeline/2"
    assert data["source"]["rate"] == "30000/1001"
    assert data["source"]["duration"] == "1001/300"
    assert data["segments"][0] == {"source_start": "0", "source_end": "1001/3750", "speed": "8", "sentence": None}


def written(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    data = example().to_json()
    change(data)
    path = tmp_path / "t.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("frames"), "frames is missing"),
        (lambda d: d["source"].pop("rate"), "rate is missing"),
        (lambda d: d.update(schema="saffa.timeline/3"), "is not a saffa.timeline/2"),
        (lambda d: d["segments"][0].update(speed="fast"), "damaged"),
        (lambda d: d["source"].update(rate="30/0"), "divides by zero"),
        (lambda d: d.update(frames=[0, 1.5]), "1.5, where a whole number belongs"),
        (lambda d: d.update(frames=["a"]), "'a', where a whole number belongs"),
        (lambda d: d.update(frames=[0, float("nan")]), "nan, where a whole number belongs"),
        (lambda d: d["source"].update(rate="0"), "rate: 0 is not between"),
        (lambda d: d.update(holds=[1, 2]), "holds, which must be"),
        (lambda d: d.update(holds=[1, 0, 2]), "holds: 0 is not between"),
        (lambda d: d.update(frames=[]), "one or more"),
        (lambda d: d.update(frames=[-1, 5]), "frames: -1 is not between"),
        (lambda d: d.update(frames=[0, 100]), "frames: 100 is not between"),
        (lambda d: d.update(frames=[0, 8, 8]), "increasing"),
        (lambda d: d.update(confidence=[0.5]), "one number for each sentence"),
        (lambda d: d.update(confidence=[0.5, 2]), "confidence: 2 is not between"),
        (lambda d: d.update(corrections=[{"kind": "erase"}]), "is no correction"),
        (lambda d: d.update(corrections=[{"kind": "cut", "start": "5", "end": "5"}]), "end, which must come after"),
        (lambda d: d["segments"][1].update(sentence=2), "sentence: 2 is not between"),
        (lambda d: d["segments"][1].update(source_start="0"), "does not follow"),
        (lambda d: d["segments"][1].update(speed="45"), "whole number of output frames"),
    ],
)
def test_says_what_is_wrong(tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Timeline.load(written(tmp_path, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(holds=[1_000_000_000] * 3),
        lambda d: d.update(holds=[1, 1, 10**400]),
        lambda d: d["source"].update(duration="1e99999999"),
        lambda d: d["source"].update(duration="9" * 400),
        lambda d: d["source"].update(rate="1/99999"),
        lambda d: d["source"].update(rate=1e300),
        lambda d: d["source"].update(rate=29.97),
        lambda d: d["source"].update(frames=10**30),
        lambda d: d["segments"][0].update(source_end="-Infinity"),
        lambda d: d["segments"][0].update(speed="1/999999999999"),
        lambda d: d.update(speed=float("inf")),
        lambda d: d.update(target_speed="8"),
        lambda d: d.update(document="text"),
        lambda d: d.update(subtitles=["a"]),
        lambda d: d.update(segments={}, frames={}),
    ],
)
def test_numbers_are_bounded_before_use(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(InputError, match="damaged"):
        Timeline.load(written(tmp_path, change))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match="is not a saffa"):
        Timeline.load(path)


def test_segments_and_frames_that_disagree_are_refused_at_the_first_difference(tmp_path: Path) -> None:
    path = written(tmp_path, lambda d: d.update(frames=[0, 8, 55]))
    with pytest.raises(InputError, match=r"first at output frame 2: segments show frame 54, frames frame 55"):
        Timeline.load(path)
    path = written(tmp_path, lambda d: d.update(frames=[0, 8]))
    with pytest.raises(InputError, match=r"first at output frame 2: segments show frame 54, frames nothing"):
        Timeline.load(path)


def test_without_segments_the_frames_decide(tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        del data["segments"]
        data["frames"] = [0, 10, 60]

    loaded = Timeline.load(written(tmp_path, change))
    assert [s.speed for s in loaded.segments()] == [10, 50, 40]


def test_frames_behind_the_end_of_the_source_make_no_segments() -> None:
    damaged = replace(example(), runs=(), source=replace(example().source, duration=Fraction(0)))
    with pytest.raises(InputError, match="behind the end"):
        damaged.segments()


def test_version_1_is_read(tmp_path: Path) -> None:
    def old(data: dict[str, Any]) -> None:
        data["schema"] = "saffa.timeline/1"
        del data["source"]["constant_rate"]
        data["subtitles"] = "said.srt"

    loaded = Timeline.load(written(tmp_path, old))
    assert loaded == replace(example(), subtitles="said.srt")


def test_corrections_and_confidence_survive(tmp_path: Path) -> None:
    made = replace(
        example(),
        corrections=(Keep("0:01-0:02", 2), Skip((0, 1)), Cut("0:02-0:02.5"), Weight(2, 3), Keep("step:1")),
        confidence=(0.25, 0.75),
    )
    path = tmp_path / "t.json"
    made.save(path)
    assert Timeline.load(path) == made


def test_subtitles_are_known_by_their_hash(tmp_path: Path) -> None:
    folder, other = tmp_path / "here", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    video, said = folder / "v.mp4", other / "said.srt"
    said.write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n", "utf-8")
    known = replace(example(), subtitles=str(said), subtitles_sha256=file_sha256(said))
    assert trusted_subtitles(known, folder, video) == said
    with pytest.raises(InputError, match="outside its folder"):
        trusted_subtitles(replace(known, subtitles_sha256=None), folder, video)
    with pytest.raises(InputError, match="no subtitle file"):
        trusted_subtitles(replace(known, subtitles="/etc/passwd"), folder, video)
    said.write_text("secret", "utf-8")
    with pytest.raises(InputError, match="its contents differ"):
        trusted_subtitles(known, folder, video)


def test_missing_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no timeline file"):
        Timeline.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match="is not a saffa"):
        Timeline.load(tmp_path / "bad.json")


def test_repeats_become_holds() -> None:
    assert merge_repeats([3, 3, 3, 5, 9, 9]) == ((3, 5, 9), (3, 1, 2))
    assert merge_repeats([3, 5]) == ((3, 5), ())
    assert merge_repeats([]) == ((), ())


def test_what_is_not_shown_lies_between_segments() -> None:
    def segment(start: int, end: int) -> Segment:
        return Segment(Fraction(start), Fraction(end), Fraction(2), None)

    shown = [segment(2, 5), segment(5, 6), segment(9, 10)]
    assert gaps(shown) == ((Fraction(0), Fraction(2)), (Fraction(6), Fraction(9)))
    assert gaps([segment(0, 5)]) == gaps([]) == ()


def test_fit_is_kept_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    assert "fit" not in example().to_json()
    replace(example(), fit=0.0).save(path)
    assert Timeline.load(path).fit == 0.0
    for wrong in (1.5, -0.1, "high", True):
        path.write_text(json.dumps(example().to_json() | {"fit": wrong}), "utf-8")
        with pytest.raises(InputError, match="fit"):
            Timeline.load(path)


def video(frames: int, rate: Fraction = Fraction(10)) -> Video:
    """A video on an even grid; nothing of it is read."""
    ticks = np.arange(frames, dtype=np.int64)
    path = Path("film.mp4")
    return Video(path, "h264", 4, 4, 0, Fraction(1), rate, 1 / rate, 0, ticks, frames / rate, False, Fraction(0))


def test_a_selection_with_a_cut_becomes_segments_and_a_map() -> None:
    film = video(20)
    chosen = Selection(np.array([0, 2, 4, 14, 17]), 20, 2.0, "plan", cuts=((6, 14),))
    runs = segments_of(film, chosen, [None, None, None, 1, 1])
    wanted = [(0, 6, 2, None), (14, 20, 3, 1)]
    assert runs == tuple(Segment(Fraction(a, 10), Fraction(b, 10), Fraction(s), k) for a, b, s, k in wanted)
    source = Source("film.mp4", "", 20, film.rate, film.duration)
    timeline = Timeline(source, ("a", "b"), "plan", "none", 2.0, 4.0, tuple(chosen.frames.tolist()), runs)
    timemap = timeline.timemap(film)
    assert timemap.source == tuple(Fraction(t, 10) for t in (0, 2, 4, 14, 17, 20))
    assert timemap.output == tuple(Fraction(t, 10) for t in range(6))
    assert timeline.spliced(timemap).source == tuple(Fraction(t, 10) for t in (0, 2, 4, 6, 9, 12))
    assert timeline.segments(2) == runs
    with pytest.raises(InputError, match="leave 2 parts"):
        timeline.segments(1)


def test_held_frames_fill_their_slots() -> None:
    film = video(9)
    assert timemap_of(film, (0, 3, 6)).output == tuple(Fraction(t, 10) for t in range(4))
    assert timemap_of(film, (0, 3, 6), (1, 2, 1)).output == tuple(Fraction(t, 10) for t in (0, 1, 3, 4))
    assert merge_repeats([3, 3, 5]) == ((3, 5), (2, 1))


def test_a_timeline_of_frames_alone_has_a_map_and_segments() -> None:
    film = video(10)
    source = Source("film.mp4", "", 10, film.rate, film.duration)
    bare = Timeline(source, (), "plan", "none", 2.0, 2.5, (0, 2, 4, 8), ())
    assert bare.timemap(film).source == tuple(Fraction(t, 10) for t in (0, 2, 4, 8, 10))
    speeds = [(run.source_end * 10, run.speed) for run in bare.segments()]
    assert speeds == [(Fraction(4), Fraction(2)), (Fraction(8), Fraction(4)), (Fraction(10), Fraction(2))]
    with pytest.raises(InputError, match="variable-rate"):
        replace(bare, holds=(1, 2, 1, 1)).segments()


def test_a_map_of_other_frames_than_the_segments_is_refused() -> None:
    film = video(20)
    source = Source("film.mp4", "", 20, film.rate, film.duration)
    run = Segment(Fraction(0), Fraction(2), Fraction(5), None)
    with pytest.raises(InputError, match="first at output frame 2: segments show frame 10, frames frame 11"):
        Timeline(source, (), "plan", "none", 5.0, 5.0, (0, 5, 11, 15), (run,)).timemap(film)


def test_the_file_is_written_for_people_too(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    example().save(path)
    text = path.read_text("utf-8")
    assert text.startswith('{\n "schema": "saffa.timeline/2",\n "source": {\n  "path": ')
    assert "Überall" in text
    assert text.endswith("}\n")


def test_an_even_grid_is_told() -> None:
    assert example().to_json()["source"]["constant_rate"] is True
    assert replace(example(), frames=(0, 8, 55)).to_json()["source"]["constant_rate"] is False
    assert replace(example(), holds=(1, 1, 2)).to_json()["source"]["constant_rate"] is False


def test_segments_as_planned_or_fewer() -> None:
    timeline = example()
    assert timeline.segments() == timeline.runs
    (one,) = timeline.segments(1)
    assert one == Segment(Fraction(0), Fraction(1001, 300), Fraction(100, 3), 1)
    cut = replace(timeline, runs=(timeline.runs[1],))
    assert cut.segments(1) == cut.runs
    assert cut.splice.cuts == ((Fraction(0), Fraction(1001, 3750)),)
    assert timeline.splice.cuts == ()


def test_the_start_of_each_slot() -> None:
    assert example().slot_starts() == [Fraction(k * 1001, 30_000) for k in (0, 8, 54)]


def test_the_first_difference_is_named() -> None:
    Timeline.compare([1, 2], [1, 2])
    with pytest.raises(InputError, match="first at output frame 0: segments show frame 1, frames frame 2"):
        Timeline.compare([1, 2], [2, 1])
    with pytest.raises(InputError, match="first at output frame 1: segments show nothing, frames frame 2"):
        Timeline.compare([1], [1, 2])


def test_a_cut_at_the_start_or_the_end_is_no_edge() -> None:
    film = video(20)
    chosen = Selection(np.array([4, 6]), 20, 2.0, "plan", cuts=((0, 4), (8, 20)))
    assert segments_of(film, chosen, [None, None]) == (Segment(Fraction(4, 10), Fraction(8, 10), Fraction(2), None),)


def test_a_single_frame_is_a_segment() -> None:
    film = video(5)
    source = Source("film.mp4", "", 5, film.rate, film.duration)
    bare = Timeline(source, (), "plan", "none", 5.0, 5.0, (0,), ())
    assert bare.segments(1) == (Segment(Fraction(0), Fraction(1, 2), Fraction(5), None),)
