"""The preview shows the original where the plan says, at every speed from 1 to 25."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.web.browser.visit import Visit

Floats = NDArray[np.float64]
RECORD = """
() => {
  const video = document.getElementById("video"), cover = document.getElementById("cover");
  const scrub = document.getElementById("scrub"), offset = 0;
  window.record = [];
  const each = () => {
    const shown = cover.hidden ? video.currentTime : Number(cover.dataset.source);
    window.record.push([Number(scrub.value), shown, video.seeking && cover.hidden ? 1 : 0, video.playbackRate]);
    requestAnimationFrame(each);
  };
  requestAnimationFrame(each);
}
"""
LISTEN = """
() => {
  const video = document.getElementById("video");
  window.loud = [];
  const each = () => {
    window.loud.push([video.playbackRate, video.volume, video.paused]);
    requestAnimationFrame(each);
  };
  requestAnimationFrame(each);
}
"""


def drift(visit: Visit, project: str, until: float) -> tuple[Floats, Floats]:
    """Play the preview; for every frame of the page the drift in output seconds, and the planned speed there."""
    segments = np.array([row[:5] for row in visit.plan(project)["segments"]], float)
    visit.page.evaluate(RECORD)
    visit.page.keyboard.press("Home")
    visit.page.keyboard.press("Space")
    length = min(until, segments[-1, 3] - 0.1)
    visit.page.wait_for_function("end => Number(scrub.value) >= end", arg=length, timeout=120_000)
    record = np.array(visit.page.evaluate("window.record"), float)
    record = record[(record[:, 0] > 0.5) & (record[:, 0] < length)]
    source = np.append(segments[:, 0], segments[-1, 1])
    output = np.append(segments[:, 2], segments[-1, 3])
    where = np.searchsorted(output, record[:, 0], side="right") - 1
    return np.interp(record[:, 1], source, output) - record[:, 0], segments[np.minimum(where, len(segments) - 1), 4]


def test_the_picture_follows_the_plan(visit: Visit) -> None:
    projects = visit.api("GET", "projects")["projects"]
    project = next(str(one["id"]) for one in projects if one["name"] == "sample.mp4")
    visit.ready(project)
    visit.api("PATCH", f"projects/{project}", {"settings": {"length": 14}})
    visit.open(project)
    error, speed = drift(visit, project, 14)
    assert speed.min() == 1
    assert speed.max() > 16
    assert np.percentile(np.abs(error), 95) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1, 2, 4, 8, 12, 16, 20, 24])
def test_every_speed(visit: Visit, talk: str, speed: float) -> None:
    visit.api("PATCH", f"projects/{talk}", {"settings": {"speed": speed, "balance": 0, "corrections": []}})
    visit.open(talk)
    error, _ = drift(visit, talk, 6)
    assert np.percentile(np.abs(error), 95) <= 0.2


@pytest.mark.slow
def test_sound_is_off_above_four_times_and_pitch_is_kept(studio: Visit) -> None:
    page = studio.page
    page.evaluate(LISTEN)
    page.keyboard.press("Space")
    page.wait_for_function("() => Number(scrub.value) > 3.5")
    page.keyboard.press("Space")
    loud = page.evaluate("window.loud")
    assert page.evaluate("document.getElementById('video').preservesPitch") is True
    assert any(rate <= 1.3 and volume == 1 for rate, volume, paused in loud if not paused)
    fast = [volume for rate, volume, paused in loud if rate > 5.5 and not paused]
    assert fast
    assert np.mean(np.array(fast) < 1) > 0.8
    assert min(fast) == 0


@pytest.mark.slow
def test_beside_even_fast_forward(studio: Visit) -> None:
    page = studio.page
    page.get_by_role("switch", name="Compare with even fast-forward").click()
    page.wait_for_function("() => document.getElementById('even-video').readyState >= 2")
    page.keyboard.press("Space")
    page.wait_for_function("() => Number(scrub.value) > 2")
    ratio = page.evaluate("document.getElementById('even-video').currentTime / Number(scrub.value)")
    assert ratio == pytest.approx(6, rel=0.15)
    assert page.evaluate("document.getElementById('even-video').muted") is True
    page.keyboard.press("c")
    assert page.locator("#even-video").is_hidden()
