"""The mpv script in Debian's mpv, without a window: it plays every part at its speed and jumps over cuts."""

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.segments import segments_between
from saffa.core.source_file import SourceFile
from saffa.core.timeline import Source, Timeline
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


@pytest.mark.skipif(shutil.which("mpv") is None, reason="mpv is not installed (Debian: apt install mpv)")
def test_position_over_time_follows_the_timeline(tmp_path: Path) -> None:
    video = make(tmp_path / "film.mp4", Movie(frames=500, rate=RATE))
    skips = [8] * 25 + [1] * 50 + [5] * 25
    edges = [Fraction(sum(skips[:k])) / RATE for k in range(len(skips) + 1)]
    first, gap = segments_between(edges[:76], RATE, [None] * 75), Fraction(2)
    later = segments_between([edge + gap for edge in edges[75:]], RATE, [None] * 25)
    frames = tuple(int(edge * RATE) for edge in [*edges[:75], *(e + gap for e in edges[75:-1])])
    source = Source(str(video), "ab" * 32, 500, RATE, Fraction(20))
    plan = Timeline(source, (), "plan", "none", 4.0, 4.0, frames, (*first, *later))
    script, watch = tmp_path / "short.lua", tmp_path / "watch.lua"
    script.write_text(FORMATS["mpv"].text(Edit.of(plan, SourceFile(str(video), 500, RATE), "short")), "utf-8")
    watch.write_text(WATCH)
    command = ["mpv", "--no-config", "--vo=null", "--ao=null", f"--script={script}", f"--script={watch}", str(video)]
    watched = tmp_path / "seen.json"
    subprocess.run(command, env={"WATCHED": str(watched), "HOME": str(tmp_path)}, timeout=120, check=True)
    seen = json.loads(watched.read_text())
    changes = [(time, speed) for k, (time, speed) in enumerate(seen) if k == 0 or speed != seen[k - 1][1]][-3:]
    assert [speed for _, speed in changes] == [8, 1, 5]
    # Where the speed changes; at 8x the player is up to a few frames late.
    assert [time for time, _ in changes] == pytest.approx([0, 8, 12], abs=0.8)
    cut = (float(edges[75]), float(edges[75] + gap))
    assert not [time for time, _ in seen if cut[0] + 0.5 < time < cut[1] - 0.1]
    assert 16 < max(time for time, _ in seen) <= 17.2
