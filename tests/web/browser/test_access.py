"""Phone, keyboard alone, and an accessibility check by axe-core."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.browser.visit import Visit


def test_phone(phone: Visit, talk: str) -> None:
    page = phone.page
    phone.api("PATCH", f"projects/{talk}", {"settings": {"speed": 6, "corrections": []}})
    phone.open(talk)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("const s = document.getElementById('strip-scroll'); s.scrollWidth > s.clientWidth")
    page.locator("#play").tap()
    page.wait_for_function("() => Number(scrub.value) > 0.5")
    page.locator("#play").tap()
    page.locator("#mark-start").tap()
    page.locator("#scrub").fill("6")
    page.locator("#mark-end").tap()
    page.get_by_role("button", name="Cut", exact=True).tap()
    phone.until(lambda: len(phone.chips()) == 1)
    small = page.evaluate(
        "[...document.querySelectorAll('#studio button:not(.link), .top button')].filter((b) => b.checkVisibility())"
        ".filter((b) => Math.min(b.clientWidth, b.clientHeight) < 26).map((b) => b.id || b.innerText)"
    )
    assert small == []
    page.goto(f"{phone.address}#new")
    page.locator("#start-form").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_keyboard_alone(studio: Visit) -> None:
    """Mark, cut, weigh, place, undo, render: no mouse."""
    page = studio.page
    page.keyboard.press("2")
    assert page.locator(".card.selected .badge").inner_text() == "2"
    page.keyboard.press("Home")
    page.keyboard.press("[")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    page.keyboard.press("x")
    studio.until(lambda: len(studio.chips()) == 1)
    assert studio.chips()[0].startswith("cut 0:00–")
    page.keyboard.press("+")
    studio.until(lambda: "step 2 counts 2×" in studio.chips())
    page.keyboard.press("h")
    page.locator(".card.placed").wait_for()
    for _ in range(3):
        page.keyboard.press("z")
    studio.has_chips([])
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    names = _tab_through(studio)
    assert {"Results", "Render", "Play", "Position in the result", "Position in the original", "Undo"} <= names
    assert "" not in names


def _tab_through(visit: Visit) -> set[str]:
    """The spoken names of everything that Tab reaches, each of which must be visible when it has the focus."""
    page = visit.page
    page.locator(".brand").focus()
    names: set[str] = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        name, visible = page.evaluate(
            "() => { const at = document.activeElement; return [at === document.body ? null :"
            " at.getAttribute('aria-label') || at.labels?.[0]?.innerText || at.innerText, at.checkVisibility()]; }"
        )
        if name is None:
            break
        assert visible, name
        names.add(" ".join(name.split()))
    return names


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, fetched from npm into a temporary folder."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so axe-core cannot be fetched")
    folder = tmp_path_factory.mktemp("axe")
    try:
        command = [npm, "pack", "axe-core@4", "--silent"]
        packed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm took too long to fetch axe-core")
    if packed.returncode:
        pytest.skip("npm could not fetch axe-core")
    shutil.unpack_archive(folder / packed.stdout.split()[-1], folder, filter="data")
    return Path(folder, "package", "axe.min.js").read_text("utf-8")


def _findings(visit: Visit, axe: str) -> list[str]:
    """Serious and critical findings, each with its first place."""
    visit.page.evaluate(axe)
    result = visit.page.evaluate("axe.run()")
    return [
        f"{found['id']}: {found['nodes'][0]['target']} {found['nodes'][0]['failureSummary']}"
        for found in result["violations"]
        if found["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(studio: Visit, axe: str, scheme: str) -> None:
    page = studio.page
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    studio.drag(0.1, 0.3)
    page.get_by_role("button", name="Skip", exact=True).click()
    studio.until(studio.chips)
    studio.drag(0.5, 0.6)
    assert _findings(studio, axe) == []
    page.get_by_role("button", name="Help and keys").click()
    assert _findings(studio, axe) == []
    page.keyboard.press("Escape")
    page.goto(f"{studio.address}#new")
    page.locator("#start-form").wait_for()
    assert _findings(studio, axe) == []


def test_light_and_dark(studio: Visit) -> None:
    page = studio.page
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark or light").click()
    dark = page.evaluate(ground)
    assert light != dark
    page.reload()
    assert page.evaluate(ground) == dark
