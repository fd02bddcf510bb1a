"""One `saffa serve`, one Chromium and one folder of made media for all browser tests, in a process under guard."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.media.movies import Movie, Sound, make
from tests.web.browser.guard import CHANNEL, Guard, obey
from tests.web.browser.visit import Visit
from tests.web.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GUARD = pytest.StashKey[Guard]()
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--autoplay-policy=no-user-gesture-required",
    "--mute-audio",
]
TALK = (
    (1000, 5000, "hello everybody and welcome back to the channel"),
    (6000, 12000, "my sister has painted the shed in green"),
    (14000, 20000, "now chop the onions into small pieces"),
    (22000, 29000, "my neighbour has a raccoon behind the garage"),
    (31000, 37000, "next we fry the onions in hot olive oil"),
    (39000, 45000, "thirty seconds feel long on camera"),
    (46000, 52000, "finally pour in the stock and let the soup simmer"),
    (54000, 58000, "thank you for watching and see you next week"),
)
STEPS = "Chop the onions.\nFry the onions in oil.\nAdd the stock and simmer the soup.\n"


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of talk, a short HEVC file and files that are no videos."""
    folder = tmp_path_factory.mktemp("media")
    make(folder / "talk.mp4", Movie(frames=1500, size=(160, 90), sounds=(Sound(22050, "mono"),), cues=TALK))
    make(folder / "phone.mp4", Movie(frames=150, size=(160, 90), codec="libx265", cues=TALK[:1]))
    (folder / "letter.mp4").write_text("Dear all, this is not a video.\n" * 50)
    (folder / "list.mp4").write_text("ffconcat version 1.0\nfile 'talk.mp4'\n")
    return folder


@pytest.fixture(scope="session")
def address(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running `saffa serve --demo`, with its token."""
    with serving(media, tmp_path_factory.mktemp("served") / "state", "--demo") as running:
        yield f"{running.url}/?token={running.token}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with playwright.sync_playwright() as run:
        browser = run.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, address: str) -> Iterator[Visit]:
    """A signed-in visitor with a desktop screen; errors of the page fail the test."""
    yield from _visit(chromium, address, viewport={"width": 1360, "height": 860})


@pytest.fixture
def phone(chromium: Browser, address: str) -> Iterator[Visit]:
    size = {"width": 390, "height": 844}
    yield from _visit(chromium, address, viewport=size, has_touch=True, is_mobile=True, device_scale_factor=1)


def _visit(chromium: Browser, address: str, **screen: Any) -> Iterator[Visit]:
    context = chromium.new_context(accept_downloads=True, **screen)
    page = context.new_page()
    page.set_default_timeout(90_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    yield Visit(page, address.partition("?")[0])
    context.close()
    assert errors == []


@pytest.fixture(scope="session")
def talk(chromium: Browser, address: str) -> str:
    """The id of a project that is ready: the minute of talk with its steps, at 6×."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    visit = Visit(page, address.partition("?")[0])
    made = visit.project("talk.mp4", STEPS, {"speed": 6})
    visit.ready(made)
    context.close()
    return made


@pytest.fixture
def studio(visit: Visit, talk: str) -> Visit:
    """The ready project on the page, as it was at first."""
    visit.api("PATCH", f"projects/{talk}", {"settings": {"speed": 6, "corrections": []}})
    visit.open(talk)
    return visit


def pytest_configure(config: pytest.Config) -> None:
    config.stash[GUARD] = Guard(Path(__file__).parent)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is None:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed, so the page cannot be tried"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Have a test of this folder run by the child; pytest asks this hook about the tests of all folders."""
    if CHROMIUM is None or CHANNEL in os.environ or Path(__file__).parent not in item.path.parents:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in item.config.stash[GUARD].reports(item):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """In the child, run what the guard asks for."""
    if CHANNEL not in os.environ:
        return None
    obey(session, int(os.environ[CHANNEL]))
    return True


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[GUARD].end(patience=10)
