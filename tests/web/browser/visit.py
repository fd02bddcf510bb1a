"""What a test does on the page: open a project, drag on the strip, read the plan."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page


@dataclass(frozen=True)
class Visit:
    """A signed-in page and the server's address without the token."""

    page: Page
    address: str

    def api(self, method: str, path: str, data: Any = None) -> Any:
        """One request with the page's cookie; the answer as JSON."""
        body = None if data is None else json.dumps(data)
        headers = {"Origin": self.address.rstrip("/"), "Content-Type": "application/json"}
        answer = self.page.request.fetch(f"{self.address}api/v1/{path}", method=method, data=body, headers=headers)
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.body() else None

    def video(self, name: str) -> str:
        """The id of a video in the allowed folders."""
        return next(str(video["id"]) for video in self.api("GET", "videos")["videos"] if video["name"] == name)

    def project(self, name: str, text: str, settings: dict[str, Any]) -> str:
        """Make a project and give its id."""
        made = self.api("POST", "projects", {"video": self.video(name), "text": text, "settings": settings})
        return str(made["id"])

    def ready(self, project: str) -> dict[str, Any]:
        """Wait until a project is analysed."""
        found: dict[str, Any] = self.until(lambda: self._state(project))
        return found

    def _state(self, project: str) -> dict[str, Any] | None:
        now: dict[str, Any] = self.api("GET", f"projects/{project}")
        assert now["state"] != "failed", now["error"]
        return now if now["state"] == "ready" else None

    def until(self, found: Any, seconds: float = 90) -> Any:
        """Ask again and again until something true comes back."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if result := found():
                return result
            self.page.wait_for_timeout(100)
        raise AssertionError("it did not happen in time")

    def open(self, project: str) -> None:
        """Show a project that is ready and wait for its plan."""
        self.page.goto(f"{self.address}#p={project}")
        self.page.reload()
        self.planned()

    def planned(self) -> None:
        """Wait until the page has a plan and the picture."""
        self.page.locator("#outcome b").wait_for()
        self.page.wait_for_function("() => document.getElementById('video').readyState >= 2")

    def settings(self, project: str) -> dict[str, Any]:
        """The settings as the server has them."""
        found: dict[str, Any] = self.api("GET", f"projects/{project}")["settings"]
        return found

    def plan(self, project: str) -> dict[str, Any]:
        """The plan of the stored settings."""
        settings = {key: value for key, value in self.settings(project).items() if key != "ui" and value is not None}
        found: dict[str, Any] = self.api("POST", f"projects/{project}/plan", settings)
        return found

    def drag(self, start: float, end: float, lane: str = "pictures") -> None:
        """Drag over the strip between two shares of the video (0 to 1), within a lane."""
        box = self.page.locator("#strip-canvas").bounding_box()
        assert box is not None
        heights = self.page.evaluate("import('./static/painter.js').then((painter) => painter.laneEdges())")
        y = box["y"] + sum(heights[lane]) / 2
        mouse = self.page.mouse
        mouse.move(box["x"] + start * box["width"], y)
        mouse.down()
        for step in range(1, 9):
            mouse.move(box["x"] + (start + (end - start) * step / 8) * box["width"], y)
        mouse.up()

    def chips(self) -> list[str]:
        """What the page lists as the person's changes."""
        return self.page.locator("#changes .chip-main").all_inner_texts()

    def has_chips(self, wanted: list[str]) -> None:
        """Wait until the page lists exactly these changes."""
        try:
            self.until(lambda: self.chips() == wanted, 30)
        except AssertionError:
            assert self.chips() == wanted
            raise
