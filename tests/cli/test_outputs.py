"""What is written never takes the place of what is read, nor of what another run has written meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from saffa.api import accelerate, render
from saffa.core.errors import InputError
from saffa.media.writer import RenderOptions
from saffa.sample import RECIPE, VIDEO
from tests.media.movies import Movie, make

pytestmark = pytest.mark.usefixtures("one_process")

OVERWRITE = RenderOptions(overwrite=True)


@pytest.mark.parametrize("method", ["uniform", "saffa"])
def test_of_two_runs_into_one_file_the_first_wins(tmp_path: Path, method: str) -> None:
    output = tmp_path / "o.mp4"
    movie = make(tmp_path / "a.mp4", Movie(frames=100))

    def other_run(stage: str, _: float) -> None:
        if "riting" in stage:  # past all checks
            output.write_bytes(b"theirs")

    with pytest.raises(InputError, match=r"o\.mp4 was made by another program"):
        accelerate(movie, ["Boil water."], speed=4, method=method, encoder="none", output=output, progress=other_run)
    assert output.read_bytes() == b"theirs"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "o.mp4"]


def test_a_timeline_is_not_replaced_by_its_video(tmp_path: Path) -> None:
    timeline = tmp_path / "tl.mp4"
    accelerate(VIDEO, RECIPE, method="uniform").timeline.save(timeline)
    before = timeline.read_bytes()
    with pytest.raises(InputError, match="is an input itself"):
        render(timeline, timeline, options=OVERWRITE)
    assert timeline.read_bytes() == before


def test_a_text_is_not_replaced_by_its_video(tmp_path: Path) -> None:
    text = tmp_path / "recipe.mp4"
    text.write_text("Boil water.", encoding="utf-8")
    with pytest.raises(InputError, match="is an input itself"):
        accelerate(VIDEO, text, output=text, options=OVERWRITE)
    with pytest.raises(InputError, match="is an input itself"):
        accelerate(VIDEO, RECIPE, subtitles=text, output=text, options=OVERWRITE)
