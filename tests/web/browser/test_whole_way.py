"""From a dropped file to a downloaded video; cancelling; coming back after a reload; files that are no videos."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import av
import pytest

from saffa.api import can_listen
from saffa.sample import RECIPE, VIDEO
from tests.media.movies import numbers
from tests.web.browser.conftest import STEPS
from tests.web.browser.visit import Visit

NOTES = """
window.notes = [];
document.addEventListener("DOMContentLoaded", () => {
  const note = document.getElementById("screen-note");
  const keep = () => note.hidden || window.notes.push(note.textContent);
  new MutationObserver(keep).observe(note, { childList: true, attributes: true });
});
"""
HEARD = """
window.heard = [];
setInterval(() => {
  const state = document.querySelector('[data-stage="listening"] .stage-state');
  if (state && window.heard.at(-1) !== state.textContent) window.heard.push(state.textContent);
}, 30);
"""
DROP = """
([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type: "video/mp4" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.getElementById("drop").dispatchEvent(event);
  }
}
"""


def drop(visit: Visit, path: Path) -> None:
    visit.page.evaluate(DROP, [path.name, base64.b64encode(path.read_bytes()).decode()])


def start(visit: Visit) -> None:
    visit.page.goto(f"{visit.address}#new")
    visit.page.locator("body[data-view=start]").wait_for()


def test_from_drop_to_download(visit: Visit, media: Path, tmp_path: Path) -> None:
    page = visit.page
    start(visit)
    drop(visit, media / "talk.mp4")
    page.locator("#upload-share").get_by_text("ready").wait_for()
    page.get_by_label("Steps, recipe or instructions").fill(STEPS)
    page.get_by_role("radio", name="Length").check()
    page.locator("#amount").fill("0:10")
    page.get_by_role("button", name="Show me").click()
    visit.planned()
    assert page.locator("#summary").inner_text() == "1:00 → 0:10 (6×)"
    assert page.locator(".card").count() == 3
    page.get_by_role("button", name="Render").click()
    page.get_by_role("button", name="Start rendering").click()
    link = page.locator("#render-bar a[data-kind=video]")
    link.wait_for(timeout=90_000)
    with page.expect_download() as waiting:
        link.click()
    target = tmp_path / "short.mp4"
    waiting.value.save_as(target)
    with av.open(str(target)) as movie:
        assert float(movie.duration or 0) / av.time_base == pytest.approx(10, abs=0.1)
        assert {stream.type for stream in movie.streams} >= {"video", "audio"}
    shown = numbers(target)
    assert len(shown) == 250
    assert shown == sorted(shown)
    _other_files(visit, tmp_path)


def _other_files(visit: Visit, folder: Path) -> None:
    """Everything else that a render offers can be downloaded and has something in it."""
    page = visit.page
    page.get_by_text("Other files").click()
    links = page.locator("#render-bar .menu-item")
    kinds = {link.get_attribute("data-kind") for link in links.all()}
    assert kinds >= {"subtitles", "timeline", "otio", "fcpxml", "premiere", "edl", "csv", "mpv"}
    with page.expect_download() as waiting:
        page.locator("#render-bar .menu-item[data-kind=fcpxml]").click()
    waiting.value.save_as(folder / "short.fcpxml")
    assert "<fcpxml" in (folder / "short.fcpxml").read_text("utf-8")


def test_cancel_and_the_list_of_results(studio: Visit, talk: str) -> None:
    page = studio.page
    page.locator("#speed-input").fill("1")
    page.locator("#speed-input").press("Enter")
    page.get_by_text("1:00 → 1:00 (1×)").wait_for()
    page.get_by_role("button", name="Render").click()
    page.get_by_role("radio", name="WebM").check()
    page.get_by_role("button", name="Start rendering").click()
    page.get_by_role("button", name="Cancel").click()
    studio.until(lambda: studio.api("GET", f"projects/{talk}")["jobs"][0]["state"] == "cancelled")
    page.locator("#render-bar").wait_for(state="hidden")
    page.get_by_role("button", name="Results").click()
    page.locator("#jobs-list").get_by_text("Cancelled.").first.wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#jobs").is_hidden()
    assert page.evaluate("document.activeElement.id") == "jobs-button"


def test_reload_in_the_middle(visit: Visit) -> None:
    page = visit.page
    made = visit.project("talk.mp4", STEPS.replace("Chop", "Slice"), {"length": 12})
    page.goto(f"{visit.address}#p={made}")
    page.locator("#video-name").get_by_text("talk.mp4").wait_for()
    page.reload()
    visit.planned()
    assert page.locator("#summary").inner_text() == "1:00 → 0:12 (5×)"
    page.get_by_role("button", name="Render").click()
    page.get_by_role("button", name="Start rendering").click()
    page.locator("#render-bar .job-words").wait_for()
    page.reload()
    page.locator("#render-bar a[data-kind=video]").wait_for(timeout=90_000)


@pytest.mark.parametrize("name", ["letter.mp4", "list.mp4"])
def test_files_that_are_no_videos(visit: Visit, media: Path, name: str) -> None:
    start(visit)
    drop(visit, media / name)
    message = visit.page.locator("#start-error:not([hidden]), #stages .wrong")
    ready = visit.page.locator("#upload-share").get_by_text("ready")
    ready.or_(message).first.wait_for()
    if not message.is_visible():
        visit.page.get_by_label("Steps, recipe or instructions").fill(STEPS)
        visit.page.get_by_role("button", name="Show me").click()
    message.wait_for()
    words = message.inner_text()
    assert words.endswith(".")
    assert "Traceback" not in words
    assert "/" not in words.replace("and/or", "")


def test_an_empty_file_and_nothing_at_all(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    start(visit)
    page.get_by_role("button", name="Show me").click()
    assert "Choose a video first" in page.locator("#start-error").inner_text()
    (tmp_path / "empty.mp4").touch()
    drop(visit, tmp_path / "empty.mp4")
    page.locator("#start-error").get_by_text("empty.mp4 is empty").wait_for()


def test_an_upload_goes_on_after_a_reload(visit: Visit, media: Path) -> None:
    page = visit.page
    whole = (media / "talk.mp4").stat().st_size + 7
    begun = visit.api("POST", "uploads", {"name": "talk-2.mp4", "size": whole})
    half = (media / "talk.mp4").read_bytes()[: whole // 2]
    headers = {"Origin": visit.address.rstrip("/"), "Content-Type": "application/octet-stream"}
    page.request.put(f"{visit.address}api/v1/uploads/{begun['id']}?offset=0", data=half, headers=headers)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    start(visit)
    page.get_by_text(re.compile("talk-2.mp4 is (49|50) % here")).wait_for()
    longer = media / "talk-2.mp4"
    longer.write_bytes((media / "talk.mp4").read_bytes() + b"\0\0\0\7free"[:7])
    drop(visit, longer)
    page.locator("#upload-share").get_by_text("ready").wait_for()
    assert sent[0].endswith(f"{begun['id']}?offset={whole // 2}")
    longer.unlink()


def test_a_video_that_browsers_cannot_play(visit: Visit) -> None:
    """HEVC: the page says that a copy is being made, then plays it."""
    visit.page.add_init_script(NOTES)
    visit.page.goto(f"{visit.address}#new")
    visit.page.reload()
    made = visit.project("phone.mp4", "Say hello to everybody.\nWave goodbye.\n", {"speed": 2})
    visit.page.goto(f"{visit.address}#p={made}")
    project = visit.ready(made)
    assert project["video"]["playable"] is False
    visit.planned()
    told = visit.page.evaluate("window.notes")
    assert any(note.startswith("Browsers cannot play HEVC") and "copy" in note for note in told), told
    assert visit.page.locator("#screen-note").is_hidden()
    visit.page.keyboard.press("Space")
    visit.page.wait_for_function("() => document.getElementById('video').currentTime > 1")


@pytest.mark.slow
@pytest.mark.timeout(500)
@pytest.mark.skipif(not can_listen(), reason="moonshine-voice is not installed (saffa[asr])")
def test_a_video_without_subtitles_is_listened_to(visit: Visit, media: Path) -> None:
    """The page shows how far listening is, and what was heard stands on the strip."""
    silent_lines = media / "spoken.mp4"
    with av.open(str(VIDEO)) as original, av.open(str(silent_lines), "w") as target:
        kept = (original.streams.video[0], original.streams.audio[0])
        streams = {one.index: target.add_stream_from_template(one) for one in kept}
        for packet in original.demux(*kept):
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    page = visit.page
    page.add_init_script(HEARD)
    page.goto(f"{visit.address}#new")
    page.reload()
    made = visit.project("spoken.mp4", RECIPE.read_text("utf-8"), {"speed": 4})
    page.goto(f"{visit.address}#p={made}")
    visit.until(lambda: visit.api("GET", f"projects/{made}")["state"] == "ready", 200)
    visit.planned()
    shares = page.evaluate("window.heard")
    assert len({share for share in shares if share.endswith("%")} - {"0 %"}) >= 2, shares
    said = visit.api("GET", f"projects/{made}/alignment")["lines"]
    assert len(said) >= 10
    silent_lines.unlink()
