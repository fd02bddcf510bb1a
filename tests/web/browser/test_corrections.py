"""Keep, skip, cut, weights, "it is here", undo and redo: on the strip, in the plan, and after a reload."""

from __future__ import annotations

import pytest

from tests.web.browser.visit import Visit


def test_cut_keep_skip_undo_redo(studio: Visit, talk: str) -> None:
    page = studio.page
    studio.drag(0.0, 0.1)
    tip, tools = page.locator(".tip").bounding_box(), page.locator("#range-tools").bounding_box()
    assert tip and tools and tip["y"] > tools["y"] + tools["height"], "what is told of the place hides the buttons"
    page.get_by_role("button", name="Cut", exact=True).click()
    studio.has_chips(["cut 0:00–0:06"])
    studio.drag(0.5, 0.6)
    page.get_by_role("button", name="Keep", exact=True).click()
    studio.drag(0.8, 0.9)
    page.get_by_role("button", name="Skip", exact=True).click()
    studio.has_chips(["keep 0:30–0:36", "skip 0:48–0:54", "cut 0:00–0:06"])
    studio.until(lambda: len(studio.settings(talk)["corrections"]) == 3)
    segments = studio.plan(talk)["segments"]
    assert segments[0][0] == pytest.approx(6, abs=0.2)
    kept = {speed for start, end, _, _, speed, _ in segments if start < 35.7 and end > 30.3}
    assert kept == {1}
    page.keyboard.press("z")
    studio.has_chips(["keep 0:30–0:36", "cut 0:00–0:06"])
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    studio.has_chips([])
    page.keyboard.press("Shift+Z")
    studio.has_chips(["cut 0:00–0:06"])
    page.reload()
    studio.planned()
    studio.has_chips(["cut 0:00–0:06"])
    page.get_by_role("button", name="Undo").click()
    studio.has_chips([])


def test_a_cut_is_jumped_in_the_preview(studio: Visit) -> None:
    studio.drag(0.1, 0.4)
    studio.page.get_by_role("button", name="Cut", exact=True).click()
    studio.has_chips(["cut 0:06–0:24"])
    studio.page.keyboard.press("Home")
    studio.page.keyboard.press("Space")
    shown = []
    for _ in range(300):  # a busy machine may take long to begin
        shown.append(studio.page.evaluate("document.getElementById('video').currentTime"))
        if shown[-1] > 24:
            break
        studio.page.wait_for_timeout(100)
    assert [time for time in shown if 6.9 < time < 23.5] == []
    assert max(shown) > 24


def test_a_step_is_dragged_to_its_place(studio: Visit, talk: str) -> None:
    found = studio.plan(talk)["sentences"][0]
    middle = (found["start"] + found["end"]) / 2 / 60
    studio.drag(middle, 0.9, "steps")
    studio.page.locator(".card.placed").wait_for()
    studio.until(lambda: studio.settings(talk)["corrections"])
    placed = studio.plan(talk)["sentences"][0]
    assert placed["start"] > found["start"] + 10
    assert studio.page.locator('.card[data-sentence="0"] .doubt').inner_text() == "● placed by you"
    studio.page.keyboard.press("z")
    studio.has_chips([])
    assert studio.page.locator(".card.placed").count() == 0


def test_weights_and_sliders_answer(studio: Visit, talk: str) -> None:
    page = studio.page
    page.get_by_role("button", name="Step 2 matters more").click()
    page.get_by_role("button", name="Step 2 matters more").click()
    studio.has_chips(["step 2 counts 4×"])
    before = page.locator("#outcome b").inner_text()
    page.locator("#length").fill("0:20")
    page.locator("#length").press("Enter")
    page.wait_for_function("before => document.querySelector('#outcome b').textContent !== before", arg=before)
    assert page.locator("#summary").inner_text() == "1:00 → 0:20 (3×)"
    studio.until(lambda: studio.settings(talk).get("length") == 20)
    page.get_by_role("radio", name="hard").check()
    studio.until(lambda: studio.settings(talk).get("ramp") == "hard")


def test_a_length_that_cannot_be_is_told_with_one_that_can(studio: Visit) -> None:
    page = studio.page
    studio.drag(0.1, 0.9)
    page.get_by_role("button", name="Keep", exact=True).click()
    page.locator("#outcome.wrong").wait_for()
    assert "allow" in page.locator("#outcome").inner_text()
    page.locator("#outcome button").click()
    page.locator("#outcome b").wait_for()
    assert "wrong" not in (page.locator("#outcome").get_attribute("class") or "")


@pytest.mark.slow
def test_a_new_text_keeps_the_ranges_and_can_be_undone(visit: Visit, talk: str) -> None:
    cut = {"kind": "cut", "start": 1, "end": 3}
    weight = {"kind": "weight", "sentence": 1, "weight": 2}
    visit.api("PATCH", f"projects/{talk}", {"settings": {"speed": 6, "corrections": [cut, weight]}})
    visit.open(talk)
    page = visit.page
    first = page.locator(".card-text").first
    page.get_by_role("button", name="Edit the text").click()
    page.locator("#text-edit").fill("Fry the onions.\nServe the soup.\n")
    page.get_by_role("button", name="Save and compare").click()
    visit.until(lambda: first.inner_text() == "Fry the onions.")
    visit.has_chips(["cut 0:01–0:03"])
    page.keyboard.press("z")
    visit.until(lambda: first.inner_text() == "Chop the onions.")
    visit.has_chips(["cut 0:01–0:03", "step 2 counts 2×"])
