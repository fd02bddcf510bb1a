"""The mpv script in Debian's mpv, without a window: it plays every part at its speed and jumps over cuts."""

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.source_file import SourceFile
from saffa.core.timeline import Source, Timeline, segments_between
from saffa.export import FORMATS
from saffa.export.edit import Edit
from tests.media.movies import Movie, make

RATE = Fraction(25)
WATCH = """
local seen = {}
mp.observe_property("time-pos", "number", function(_, time)
  if time then seen[#seen + 1] = string.format("[%f,%f]", time, mp.get_property_number("speed")) end
end)
mp.register_event("shutdown", function()
  local file = io.open(os.getenv("WATCHED"), "w")
  file:write("[" .. table.concat(seen, ",") .. "]")
  file:close()
end)
"""


TRIES = 3  # a busy machine makes a player late; a wrong script is wrong every time


def _plan(video: Path) -> tuple[Timeline, tuple[float, float]]:
    """One second of output at 8x, two at 1x, a cut of two seconds, one at 5x; and where the cut begins and ends."""
    skips = [8] * 25 + [1] * 50 + [5] * 25
    edges = [Fraction(sum(skips[:k])) / RATE for k in range(len(skips) + 1)]
    first, gap = segments_between(edges[:76], RATE, [None] * 75), Fraction(2)
    later = segments_between([edge + gap for edge in edges[75:]], RATE, [None] * 25)
    frames = tuple(int(edge * RATE) for edge in [*edges[:75], *(e + gap for e in edges[75:-1])])
    source = Source(str(video), "ab" * 32, 500, RATE, Fraction(20))
    plan = Timeline(source, (), "plan", "none", 4.0, 4.0, frames, (*first, *later))
    return plan, (float(edges[75]), float(edges[75] + gap))


def _watched(video: Path, script: Path, folder: Path) -> list[tuple[float, float]]:
    """Positions and speeds that the player told while it played the video with the script."""
    watch, watched = folder / "watch.lua", folder / "seen.json"
    watch.write_text(WATCH)
    command = ["mpv", "--no-config", "--vo=null", "--ao=null", f"--script={script}", f"--script={watch}", str(video)]
    subprocess.run(command, env={"WATCHED": str(watched), "HOME": str(folder)}, timeout=120, check=True)
    return [(time, speed) for time, speed in json.loads(watched.read_text())]


def _differences(seen: list[tuple[float, float]], cut: tuple[float, float]) -> list[str]:
    """What differs from the plan in what the player did."""
    changes = [(time, speed) for k, (time, speed) in enumerate(seen) if k == 0 or speed != seen[k - 1][1]][-3:]
    if [speed for _, speed in changes] != [8, 1, 5]:
        return [f"speeds {changes}"]
    wrong = []
    # At 8x the player is up to a few frames late; the last change is told just before the jump or just after it.
    for (time, speed), places in zip(changes, ((0.0,), (8.0,), cut), strict=True):
        if not any(abs(time - place) <= 0.8 for place in places):
            wrong.append(f"{speed} begins at {time}")
    wrong += [f"shows {time}" for time, _ in seen if cut[0] + 0.5 < time < cut[1] - 0.1]
    if not 16 < (last := max(time for time, _ in seen)) <= 17.2:
        wrong.append(f"ends at {last}")
    return wrong


@pytest.mark.skipif(shutil.which("mpv") is None, reason="mpv is not installed (Debian: apt install mpv)")
def test_position_over_time_follows_the_timeline(tmp_path: Path) -> None:
    video = make(tmp_path / "film.mp4", Movie(frames=500, rate=RATE))
    plan, cut = _plan(video)
    script = tmp_path / "short.lua"
    script.write_text(FORMATS["mpv"].text(Edit.of(plan, SourceFile(str(video), 500, RATE), "short")), "utf-8")
    wrong: list[list[str]] = []
    while len(wrong) < TRIES and (found := _differences(_watched(video, script, tmp_path), cut)):
        wrong.append(found)
    assert len(wrong) < TRIES, wrong


def test_a_player_that_ignores_the_plan_is_told() -> None:
    right = [(0.0, 8.0), (4.0, 8.0), (8.1, 1.0), (9.9, 1.0), (10.0, 5.0), (12.1, 5.0), (16.9, 5.0)]
    assert not _differences(right, (10.0, 12.0))
    assert not _differences([*right[:4], (12.1, 5.0), (16.9, 5.0)], (10.0, 12.0))
    assert _differences([(0.0, 1.0), (19.9, 1.0)], (10.0, 12.0))
    assert _differences([*right[:5], (11.2, 5.0), *right[5:]], (10.0, 12.0)) == ["shows 11.2"]
    assert _differences([(time + (2.0 if speed == 1 else 0.0), speed) for time, speed in right], (10.0, 12.0))
