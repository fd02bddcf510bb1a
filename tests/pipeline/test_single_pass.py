"""Videos read once and written meanwhile: from files and pipes, to what two passes make of the same choice."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av.packet import Packet
from numpy.typing import NDArray

import saffa
from saffa.api import accelerate, align, render, select
from saffa.core.document import Document
from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Result
from saffa.core.timeline import Timeline
from saffa.core.video import Axis, Cue, Narration
from saffa.encoders.base import AlignmentRow, Query
from saffa.encoders.replay import NoEncoder
from saffa.media.live import LiveMovie
from saffa.media.writer import MovieWriter, RenderOptions
from saffa.methods.paper.compact import CompactSaffa
from tests.media.movies import Movie, Sound, make, number, numbers
from tests.speech.sounds import film

pytestmark = pytest.mark.usefixtures("one_process")

TEXT = ("chop the onions", "fry them in oil", "add the tomatoes")
TALK = [(1, 3, "now chop the onions"), (6, 9, "we fry them in oil"), (12, 15, "and add the tomatoes to it")]
PLAIN = Movie(frames=400)
FULL = Movie(frames=450, sounds=[Sound(), Sound(rate=48000, layout="mono", language="deu", default=False)])


def write_talk(path: Path) -> Path:
    cues = [f"{i}\n00:00:{a:02},000 --> 00:00:{b:02},000\n{line}\n" for i, (a, b, line) in enumerate(TALK, 1)]
    path.write_text("\n".join(cues), encoding="utf-8")
    return path


def once(source: Path, *, method: str | CompactSaffa = "saffa", encoder: Any = "none", **more: Any) -> Result:
    """A file read in a single pass."""
    return accelerate(source, TEXT, method=method, encoder=encoder, single_pass=True, **more)


@contextmanager
def piped(source: Path, folder: Path, limit: int | None = None) -> Iterator[Path]:
    """A named pipe through which the bytes of a file come."""
    fifo = folder / "pipe"
    os.mkfifo(fifo)

    def pour() -> None:
        try:
            with fifo.open("wb") as pipe:
                pipe.write(source.read_bytes()[:limit])
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=pour, daemon=True)
    writer.start()
    yield fifo
    writer.join(10)
    assert not writer.is_alive()


def samples(path: Path, track: int) -> NDArray[np.float32]:
    with av.open(str(path)) as container:
        return np.concatenate([f.to_ndarray() for f in container.decode(container.streams.audio[track])], axis=1)


def facts(path: Path) -> tuple[list[bytes], list[object], list[object]]:
    """What two files made the same way have in common: lines, streams, chapters."""
    with av.open(str(path)) as container:
        shown = [p for p in container.demux(subtitles=0) if p.size] if container.streams.subtitles else []
        lines = [f"{p.pts} {p.duration} ".encode() + bytes(p) for p in shown]
        streams: list[object] = [(s.type, s.language, s.disposition, s.time_base) for s in container.streams]
        chapters: list[object] = [(c["start"] * (c["time_base"] or 1), c["metadata"]) for c in container.chapters()]
        return lines, [*streams, container.metadata.get("title")], chapters


@pytest.mark.parametrize("name", ["m.mp4", "m.mkv"])
def test_it_equals_two_passes(tmp_path: Path, name: str) -> None:
    chapters = ((0, 6000, "prepare"), (6000, 18000, "cook"))
    source = make(tmp_path / name, Movie(frames=450, sounds=FULL.sounds, chapters=chapters))
    spoken = write_talk(tmp_path / "talk.srt")
    output, again = tmp_path / f"once{source.suffix}", tmp_path / f"twice{source.suffix}"
    done = once(source, speed=4, encoder="narrated", subtitles=spoken, output=output)
    chosen = select(align(source, TEXT, subtitles=spoken, encoder="narrated"), speed=4, method="saffa")
    assert done.selection.frames.tolist() == chosen.frames.tolist() == numbers(output)
    assert (done.selection.source_frames, done.selection.speed) == (450, chosen.speed)
    assert not done.warnings
    render(done.timeline, again)
    assert numbers(again) == numbers(output)
    for track in (0, 1):
        np.testing.assert_array_equal(samples(output, track), samples(again, track))
    assert facts(output) == facts(again)
    assert facts(output)[0] and facts(output)[2], "lines and chapters were there to be compared"
    assert (tmp_path / "once.srt").read_bytes() == (tmp_path / "twice.srt").read_bytes()
    assert not list(tmp_path.glob(".*")), "nothing hidden is left behind"


@pytest.mark.parametrize(
    ("name", "told"), [("m.mkv", None), ("m.mp4", None), ("m.ts", Fraction(16)), ("fragmented.mp4", Fraction(16))]
)
def test_through_a_pipe(tmp_path: Path, name: str, told: Fraction | None) -> None:
    source = make(tmp_path / name, Movie(frames=400, sounds=() if told else [Sound()]))
    if "fragmented" in name:
        source = refit(source, tmp_path / "f.mp4", {"movflags": "frag_keyframe+empty_moov"})
    whole = accelerate(source, TEXT, speed=5, method="saffa", encoder="none", output=tmp_path / "file.mp4")
    with piped(source, tmp_path) as pipe:
        done = accelerate(
            pipe, TEXT, speed=5, method="saffa", encoder="none", output=tmp_path / "pipe.mp4", duration=told
        )
    assert done.selection.frames.tolist() == whole.selection.frames.tolist() == numbers(tmp_path / "pipe.mp4")
    if not told:
        np.testing.assert_array_equal(samples(tmp_path / "pipe.mp4", 0), samples(tmp_path / "file.mp4", 0))
    assert done.timeline.source.sha256 == whole.timeline.source.sha256
    assert done.timeline.source.path == "-"
    done.timeline.save(tmp_path / "t.json")
    with pytest.raises(InputError, match="pipe"):
        render(tmp_path / "t.json", tmp_path / "again.mp4")


def refit(source: Path, target: Path, options: dict[str, str]) -> Path:
    with av.open(str(source)) as old, av.open(str(target), "w", container_options=options) as new:
        streams = {s.index: new.add_stream_from_template(s, opaque=True) for s in old.streams}
        for packet in old.demux():
            if packet.size:
                packet.stream = streams[packet.stream_index]
                new.mux(packet)
    return target


def test_lines_and_chapters_inside_a_pipe(tmp_path: Path) -> None:
    cues = [(1000 * a, 1000 * b, line) for a, b, line in TALK]
    source = make(tmp_path / "m.mkv", Movie(frames=400, cues=cues, chapters=((0, 8000, "one"), (8000, 16000, "two"))))
    with piped(source, tmp_path) as pipe:
        accelerate(pipe, TEXT, speed=4, method="saffa", encoder="none", output=tmp_path / "out.mkv")
    accelerate(source, TEXT, speed=4, method="saffa", encoder="none", output=tmp_path / "file.mkv")
    assert facts(tmp_path / "out.mkv") == facts(tmp_path / "file.mkv")
    assert facts(tmp_path / "out.mkv")[0] and len(facts(tmp_path / "out.mkv")[2]) == 2


@pytest.mark.parametrize("method", ["saffa", "saffa-published"])
def test_auto_hears_the_lines_inside_a_pipe(tmp_path: Path, method: str) -> None:
    cues = [(1000 * a, 1000 * b, line) for a, b, line in TALK]
    source = make(tmp_path / "m.mkv", Movie(frames=400, cues=cues))
    chosen = {}
    for encoder in ("auto", "narrated-live"):
        with piped(source, tmp_path) as pipe:
            chosen[encoder] = accelerate(pipe, TEXT, speed=4, method=method, encoder=encoder)
        pipe.unlink()
    assert chosen["auto"].timeline.to_json() == chosen["narrated-live"].timeline.to_json()
    assert chosen["auto"].alignment.encoder == "narrated-live"
    assert chosen["auto"].warnings == chosen["narrated-live"].warnings


def test_auto_says_that_a_pipe_had_empty_subtitles(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mkv", Movie(frames=100, cues=[(0, 0, "")]))
    with piped(source, tmp_path) as pipe:
        done = accelerate(pipe, TEXT, speed=4, method="saffa")
    (warning,) = done.warnings
    assert "no lines" in warning and "--encoder visual" in warning


def test_auto_looks_where_a_pipe_has_no_subtitles(tmp_path: Path) -> None:
    with piped(make(tmp_path / "m.mkv", Movie(frames=60)), tmp_path) as pipe:
        done = accelerate(pipe, TEXT, speed=4, method="saffa")
    assert done.alignment.encoder == "visual"
    (doubt,) = done.warnings  # the pictures are made, and show nothing of the text
    assert "does not seem to fit" in doubt


def test_what_a_pipe_cannot_give(tmp_path: Path) -> None:
    late = make(tmp_path / "late.mp4", Movie(frames=900, faststart=False))
    endless = make(tmp_path / "m.ts", Movie(frames=60))
    pieces = refit(late, tmp_path / "f.mp4", {"movflags": "frag_keyframe+empty_moov"})
    for source, reason in ((late, "index at the end"), (endless, "--duration"), (pieces, "--duration")):
        with piped(source, tmp_path) as pipe, pytest.raises(InputError, match=reason):
            accelerate(pipe, TEXT, method="saffa", encoder="none", output=tmp_path / "out.mp4")
        pipe.unlink()
    nothing, words = tmp_path / "empty", tmp_path / "words"
    nothing.write_bytes(b"")
    words.write_text("this is no video " * 9, encoding="utf-8")
    for source, reason in ((nothing, "empty"), (words, "is a text, not a video")):
        with piped(source, tmp_path) as pipe, pytest.raises(InputError, match=reason):
            accelerate(pipe, TEXT, method="saffa", encoder="none", output=tmp_path / "out.mp4")
        pipe.unlink()
    assert not list(tmp_path.glob("out*")) and not list(tmp_path.glob(".*"))


def test_methods_that_need_two_passes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"plan must know the whole video.*saffa"):
        accelerate(tmp_path / "pipe", TEXT)
    with pytest.raises(InputError, match="encoder fused must see the whole video"):
        accelerate(tmp_path / "pipe", TEXT, method="saffa", encoder="fused")
    for none in (0, -1.5, float("nan"), float("inf")):
        with pytest.raises(InputError, match="--duration must be positive"):
            accelerate(tmp_path / "pipe", TEXT, method="saffa", duration=none)
    with pytest.raises(InputError, match="--duration is for"):
        accelerate(tmp_path / "m.mp4", TEXT, method="saffa", duration=3)


def test_files_get_two_passes_unless_asked_otherwise(tmp_path: Path) -> None:
    source, stages = make(tmp_path / "m.mkv", PLAIN), []
    for single_pass in (False, True):
        seen: list[str] = []
        done = accelerate(
            source,
            TEXT,
            speed=5,
            method=CompactSaffa(),
            encoder=NoEncoder(),
            single_pass=single_pass,
            output=tmp_path / f"{single_pass}.mp4",
            progress=lambda stage, _, seen=seen: seen.append(stage),  # type: ignore[misc]
        )
        assert numbers(tmp_path / f"{single_pass}.mp4") == done.selection.frames.tolist()
        stages.append(set(seen))
    assert "Writing the video" in stages[0]
    assert stages[1] == {"Reading and writing the video"}


def test_without_output_it_only_chooses(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", PLAIN)
    written = once(source, speed=5, output=tmp_path / "out.mp4")
    tried = once(source, speed=5)
    assert tried.rendered is None and written.rendered is not None
    assert tried.timeline.to_json() == written.timeline.to_json()


@pytest.mark.parametrize(("told", "word"), [(8, "later"), (32, "earlier")])
def test_a_wrong_duration_is_survived_and_said(tmp_path: Path, told: int, word: str) -> None:
    source = make(tmp_path / "m.mkv", PLAIN)  # 16 seconds
    with piped(source, tmp_path) as pipe:
        done = accelerate(pipe, TEXT, speed=5, method="saffa", encoder="none", output=tmp_path / "o.mp4", duration=told)
    (warning,) = done.warnings
    assert word in warning
    frames = done.selection.frames
    assert done.selection.source_frames == 400 and numbers(tmp_path / "o.mp4") == frames.tolist()
    if told == 8:
        assert np.diff(frames[frames > 200]).tolist() == [5] * (np.count_nonzero(frames > 200) - 1)
        assert abs(done.selection.speed - 5) < 0.2


def test_a_cut_pipe_gives_what_came(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mkv", Movie(frames=400, sounds=[Sound()]))
    with piped(source, tmp_path, limit=source.stat().st_size // 2) as pipe:
        options = RenderOptions(allow_damage=True)
        done = accelerate(
            pipe, TEXT, speed=4, method="saffa", encoder="none", output=tmp_path / "o.mp4", options=options
        )
    assert "earlier" in done.warnings[0]
    assert 50 < done.selection.source_frames < 350
    assert numbers(tmp_path / "o.mp4") == done.selection.frames.tolist()


def test_a_cut_pipe_writes_nothing_unless_asked(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mkv", Movie(frames=400, sounds=[Sound()]))
    cut = pytest.raises(SaffaError, match="more than 5% of the 400 frames wanted are missing")
    with piped(source, tmp_path, limit=source.stat().st_size // 2) as pipe, cut:
        accelerate(pipe, TEXT, speed=4, method="saffa", encoder="none", output=tmp_path / "o.mp4")
    assert not list(tmp_path.glob("*o*.mp4"))


@pytest.mark.parametrize("name", ["m.mkv", "m.ts", "m.avi"])
def test_a_file_with_a_hole_writes_nothing_unless_asked(tmp_path: Path, name: str) -> None:
    codec = "mpeg4" if name.endswith("avi") else "libx264"
    source = make(tmp_path / name, Movie(frames=400, size=(320, 240), codec=codec, options={"g": "20"}))
    data = source.read_bytes()
    size = len(data)
    source.write_bytes(data[: size * 2 // 5] + bytes(size // 5) + data[size * 2 // 5 + size // 5 :])
    with pytest.raises(SaffaError, match=r"more than 5% of the 4.. frames wanted are missing"):
        once(source, speed=4, output=tmp_path / "o.mp4")
    assert [p.name for p in tmp_path.iterdir()] == [name]
    done = once(source, speed=4, output=tmp_path / "o.mp4", options=RenderOptions(allow_damage=True))
    assert any("damaged" in warning for warning in done.warnings)


def test_a_cut_file_whose_sound_lies_at_its_end(tmp_path: Path) -> None:
    """All pictures are there: they are used, and that the sound is not is said."""
    together, source = make(tmp_path / "a.mp4", Movie(frames=300, sounds=[Sound()])), tmp_path / "m.mp4"
    apart = {"movflags": "+faststart", "max_interleave_delta": "1"}
    with av.open(str(together)) as old, av.open(str(source), "w", container_options=apart) as new:
        for stream in (old.streams.video[0], old.streams.audio[0]):
            new.add_stream_from_template(stream)
        for kind in ("video", "audio"):
            old.seek(0)
            for packet in old.demux(**{kind: 0}):
                if packet.size:
                    packet.stream = new.streams[packet.stream.index]
                    new.mux_one(packet)
    size = source.stat().st_size
    os.truncate(source, size - size // 5)
    single = once(source, speed=4, output=tmp_path / "o.mp4")
    for done in (single, accelerate(source, TEXT, speed=4, method="saffa", encoder="none", output=tmp_path / "p.mp4")):
        assert done.selection.source_frames == 299  # the muxer puts the very last one behind the sound
        assert [warning for warning in done.warnings if "m.mp4 is cut short" in warning]
    assert numbers(tmp_path / "o.mp4") == single.selection.frames.tolist()


@pytest.mark.parametrize("change", ["replaced", "rewritten", "gone", "grown"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, change: str) -> None:
    source = make(tmp_path / "m.mkv", PLAIN)

    def meanwhile(_stage: str, share: float) -> None:
        if share < 0.9 or (tmp_path / "done").exists():
            return
        (tmp_path / "done").touch()
        data = source.read_bytes()
        if change in ("replaced", "gone"):
            source.unlink()
        if change != "gone":
            with source.open("ab" if change == "grown" else "wb") as file:
                file.write(bytes(20) if change == "grown" else data)

    if change == "grown":
        assert once(source, speed=4, output=tmp_path / "o.mp4", progress=meanwhile).rendered is not None
        return
    with pytest.raises(SaffaError, match=r"m\.mkv changed while it was read; run again, or add --allow-damage"):
        once(source, speed=4, output=tmp_path / "o.mp4", progress=meanwhile)
    assert not list(tmp_path.glob("*o*.mp4"))


@pytest.mark.parametrize("method", ["saffa-published", "sff-rl"])
def test_a_missed_length_is_said(tmp_path: Path, method: str) -> None:
    source, spoken = make(tmp_path / "m.mkv", PLAIN), write_talk(tmp_path / "talk.srt")
    with piped(source, tmp_path) as pipe:
        done = accelerate(pipe, TEXT, length=2, method=method, encoder="narrated", subtitles=spoken)
    (warning,) = done.warnings
    assert f"not the 0:02.0 (8×) asked for. {method}" in warning
    assert f"({done.selection.speed:.3g}×)" in warning and "plan, saffa and uniform keep the length" in warning


def test_real_times_of_an_uneven_video(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    stamps = np.cumsum(random.choice([20, 40, 40, 160], 300)).tolist()
    source = make(tmp_path / "m.mkv", Movie(stamps=stamps, time_base=Fraction(1, 1000), sounds=[Sound()]))
    done = once(source, speed=4, output=tmp_path / "o.mp4")
    slots, shown = done.selection.frames, np.repeat(done.timeline.frames, done.timeline.holds or 1)
    assert numbers(tmp_path / "o.mp4") == shown.tolist()
    seconds = (np.array(stamps) - stamps[0]) / 1000
    np.testing.assert_array_equal(shown, np.searchsorted(seconds, (slots + 0.25) / 25, side="right") - 1)
    assert list(done.timemap.source[:-1]) == [Fraction(int(slot), 25) for slot in slots]
    assert done.timeline.source.frames == 300
    assert done.timemap.speed == pytest.approx(4, rel=0.01)  # by time, not by number


def test_rotation_and_odd_sizes(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", Movie(frames=80, size=(98, 74), rotation=90))
    once(source, speed=4, output=tmp_path / "o.mp4")
    with av.open(str(tmp_path / "o.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (74, 98)


@dataclass
class Curious:
    """Looks at five pictures at a time and writes down which; slow in the middle."""

    seen: list[tuple[int, list[int], list[int]]] = field(default_factory=list)
    name: str = "curious"
    streaming: bool = True
    window: int = 5
    encoder: str = "curious"

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> saffa.Alignment:
        return NoEncoder().encode(video, document, narration)

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Curious:  # noqa: ARG002
        return self

    def answer(self, moment: Query) -> AlignmentRow:
        shown = [number(still.frame) for still in moment.stills]
        self.seen.append((moment.frame, [still.index for still in moment.stills], shown))
        unit = np.ones(1, np.float32)
        return AlignmentRow(float(4 < moment.seconds < 8), np.full(3, 1 / 3, np.float32), unit, unit)


def test_only_visited_clips_are_asked_for(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", Movie(frames=300, b_frames=3))
    encoder = Curious()
    done = once(source, speed=4, encoder=encoder, output=tmp_path / "o.mp4")
    frames = done.selection.frames.tolist()
    assert [frame for frame, _, _ in encoder.seen] == frames == numbers(tmp_path / "o.mp4")
    for frame, indices, shown in encoder.seen:
        assert indices == shown == list(range(frame, min(frame + 5, 300)))


def test_lines_are_heard_in_time_however_early_they_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[float, Cue]] = []

    class Ear(Curious):
        def answer(self, moment: Query) -> AlignmentRow:
            heard.extend((moment.seconds, cue) for cue in moment.cues)
            return super().answer(moment)

    lines = [Cue(Fraction(a), Fraction(b), text) for a, b, text in TALK]
    read = iter([lines])  # all at the first look
    monkeypatch.setattr(LiveMovie, "cues", lambda _: next(read, []))
    source = make(tmp_path / "m.mkv", PLAIN)
    done = once(source, speed=4, encoder=Ear())
    assert [cue for _, cue in heard] == lines
    visited = done.selection.frames / 25
    assert [seconds for seconds, _ in heard] == [float(visited[visited >= float(cue.start)][0]) for cue in lines]


def test_an_encoder_that_fails_ends_it_all(tmp_path: Path) -> None:
    class Tired(Curious):
        def answer(self, moment: Query) -> AlignmentRow:
            if moment.frame > 100:
                raise InputError("enough")
            return super().answer(moment)

    source = make(tmp_path / "m.mp4", Movie(frames=300, sounds=[Sound()]))
    with pytest.raises(InputError, match="enough"):
        once(source, speed=4, encoder=Tired(), output=tmp_path / "o.mp4")
    assert [p.name for p in tmp_path.iterdir()] == ["m.mp4"]


def test_a_ctrl_c_closes_the_video_when_nobody_reads_it_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed under a thread that was reading, libav crashed in one of five interrupts."""
    at_work: list[list[str]] = []
    close, mux = LiveMovie.close, MovieWriter.mux

    def closing(movie: LiveMovie) -> None:
        at_work.append([t.name for t in threading.enumerate() if t.name.startswith("saffa-")])
        close(movie)

    def interrupted(writer: MovieWriter, packet: Packet[Any]) -> None:
        mux(writer, packet)
        if packet.stream.type == "video":
            raise KeyboardInterrupt

    monkeypatch.setattr(LiveMovie, "close", closing)
    monkeypatch.setattr(MovieWriter, "mux", interrupted)
    source = make(tmp_path / "m.mp4", Movie(frames=900, sounds=[Sound()]))
    with pytest.raises(KeyboardInterrupt):
        once(source, speed=4, encoder=Curious(), output=tmp_path / "o.mp4")
    assert at_work and not any(at_work)
    assert [p.name for p in tmp_path.iterdir()] == ["m.mp4"]


@pytest.mark.parametrize("method", ["saffa", "plan"])
def test_a_listener_needs_lines(tmp_path: Path, method: str) -> None:
    source = make(tmp_path / "m.mp4", PLAIN)
    with pytest.raises(InputError, match="no subtitles"):
        accelerate(source, TEXT, speed=4, method=method, encoder="narrated-live", single_pass=method == "saffa")


def test_lines_of_another_video_are_refused_before_it_is_read(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", PLAIN)
    (tmp_path / "other.srt").write_text("1\n00:09:00,000 --> 00:09:02,000\nfry them\n", encoding="utf-8")
    with pytest.raises(InputError, match="falls into the video"):
        once(source, speed=4, subtitles=tmp_path / "other.srt")


@pytest.mark.parametrize("audio", ["mute", "drop"])
def test_other_sound(tmp_path: Path, audio: str) -> None:
    source = make(tmp_path / "m.mp4", FULL)
    options = RenderOptions(audio=audio)  # type: ignore[arg-type]
    done = once(source, speed=4, output=tmp_path / "o.mp4", options=options)
    with av.open(str(tmp_path / "o.mp4")) as container:
        assert len(container.streams.audio) == (1 if audio == "mute" else 0)
    if audio == "mute":
        heard = samples(tmp_path / "o.mp4", 0)
        assert not heard.any() and abs(heard.shape[1] - done.timemap.duration * 44100) < 2048


def test_timelines_of_a_file_can_be_rendered_again(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mp4", PLAIN)
    done = once(source, speed=8, output=tmp_path / "o.mp4")
    done.timeline.save(tmp_path / "t.json")
    assert Timeline.load(tmp_path / "t.json") == done.timeline
    render(tmp_path / "t.json", tmp_path / "again.mp4")
    assert numbers(tmp_path / "again.mp4") == numbers(tmp_path / "o.mp4")


def test_one_pass_says_that_it_does_not_listen(tmp_path: Path) -> None:
    talk = film(tmp_path / "talk.mp4", np.zeros(12 * 16_000, np.float32))
    request: dict[str, Any] = {"speed": 2, "method": "saffa", "single_pass": True}
    assert any("not listened to" in note for note in saffa.accelerate(talk, ["Boil the water."], **request).notes)
    assert saffa.accelerate(talk, ["Boil the water."], listen="off", **request).notes == ()
