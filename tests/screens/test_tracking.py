"""What is new is read, what stays is followed, and the number of readings is bounded."""

from collections.abc import Sequence

import numpy as np
from av import VideoFrame
from numpy.typing import NDArray

from saffa.screens.likeness import traits
from saffa.screens.ocr import WrittenLine
from saffa.screens.tracking import ScreenTracker, ShownLine, joined
from tests.screens.slides import slide


class Shelf:
    """Reads a strip by looking up which of the known lines, drawn at fixed heights, lie in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.strips: list[int] = []

    def picture(self) -> NDArray[np.uint8]:
        return slide(self.lines)

    def read(self, strip: NDArray[np.uint8]) -> Sequence[WrittenLine]:
        self.strips.append(strip.shape[0])
        whole = self.picture()
        top = next(y for y in range(361 - len(strip)) if (whole[y : y + len(strip)] == strip).all())
        boxes = [(text, 40 + 70 * row - top) for row, text in enumerate(self.lines)]
        inside = [(text, y) for text, y in boxes if -30 < y < len(strip)]
        return [WrittenLine(text, (40, max(0, y), 400, min(len(strip), y + 34))) for text, y in inside]


def follow(stages: Sequence[tuple[float, list[str]]], end: float, shelf: Shelf | None = None) -> list[ShownLine]:
    """Lines of a film that shows other ones from each of these times on."""
    shelf = shelf or Shelf()
    tracker = ScreenTracker(shelf.read, 1.0)
    for second in range(int(end)):
        shelf.lines = [lines for time, lines in stages if time <= second][-1]
        seen = traits(VideoFrame.from_ndarray(shelf.picture(), "rgb24"))
        tracker.see(float(second), seen, shelf.picture)
    return tracker.finish(end)


def test_bullets_that_come_one_by_one() -> None:
    shelf = Shelf()
    first, second, third = "Compare two neighbours", "Swap them if they differ", "Repeat until it is done"
    lines = follow([(0, [first]), (5, [first, second]), (9, [first, second, third]), (14, [])], 20, shelf)
    assert [(line.start, line.end, line.text) for line in lines] == [(0, 14, first), (5, 14, second), (9, 14, third)]
    assert len(shelf.strips) == 3  # once for each that came
    assert shelf.strips[1] < 360 * 0.6  # and only where it came


def test_a_line_that_replaces_another() -> None:
    lines = follow([(0, ["Boil the water"]), (4, ["Grind the beans"])], 8)
    assert [(line.start, line.end, line.text) for line in lines] == [
        (0, 4, "Boil the water"),
        (4, 8, "Grind the beans"),
    ]


def test_a_gap_between_pictures_ends_lines() -> None:
    shelf = Shelf()
    shelf.lines = ["Boil the water"]
    tracker = ScreenTracker(shelf.read, 1.0)
    seen = traits(VideoFrame.from_ndarray(shelf.picture(), "rgb24"))
    for second in (0.0, 1.0, 30.0):
        tracker.see(second, seen, shelf.picture)
    assert [(line.start, line.end) for line in tracker.finish(31)] == [(0, 2), (30, 31)]


def test_the_number_of_readings_is_bounded() -> None:
    """Other words every second: more than can be afforded are not read, and none is read without end."""
    shelf = Shelf()
    words = ["alpha bravo charlie", "delta echo foxtrot", "golf hotel india"]
    stages = [(float(second), [words[(second + row) % 3] for row in range(4)]) for second in range(120)]
    follow(stages, 120, shelf)
    assert sum(shelf.strips) / 360 < 12 + 0.25 * 120


def test_what_was_not_read_is_counted() -> None:
    shelf = Shelf()
    tracker = ScreenTracker(shelf.read, 1.0)
    words = ["alpha bravo charlie", "delta echo foxtrot", "golf hotel india"]
    for second in range(120):
        shelf.lines = [words[(second + row) % 3] for row in range(4)]
        tracker.see(float(second), traits(VideoFrame.from_ndarray(shelf.picture(), "rgb24")), shelf.picture)
    assert 30 < tracker.passed < 120 - len(shelf.strips) + 1


def test_what_never_holds_a_word_is_left_alone() -> None:
    """Letters that nobody can read, each second others: soon they are looked at rarely."""
    readings: list[float] = []
    tracker = ScreenTracker(lambda strip: readings.append(len(strip)) or [], 1.0)  # type: ignore[func-returns-value]
    for second in range(60):
        picture = slide([f"{'xyz' * (second % 3)} strange signs {second}"] * 4)
        tracker.see(float(second), traits(VideoFrame.from_ndarray(picture, "rgb24")), lambda p=picture: p)  # type: ignore[misc]
    assert 2 <= len(readings) < 20


def test_a_line_that_flickers_is_one() -> None:
    box = (1, 2, 3, 4)
    lines = [ShownLine(0, 4, "a word", box), ShownLine(5, 9, "a word", box), ShownLine(20, 22, "a word", box)]
    assert [(line.start, line.end) for line in joined(lines, 3.0)] == [(0, 9), (20, 22)]
