"""Size, tests and coverage of each room, as a Markdown table: `python -m tests.rooms`, after `make coverage`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src" / "saffa"


@dataclass
class Room:
    """A folder of the package: lines of source, lines of its tests, statements, and those that no test ran."""

    lines: int = 0
    tests: int = 0
    statements: int = 0
    missing: int = 0

    def row(self, name: str) -> str:
        """A row of the table."""
        covered = 100 * (1 - self.missing / max(self.statements, 1))
        return f"| {name} | {self.lines:,} | {self.tests:,} | {self.tests / max(self.lines, 1):.2f} | {covered:.0f} % |"


def room_of(path: Path, root: Path) -> str:
    """The folder in which a file lies; those of research count for themselves."""
    folders = path.relative_to(root).parts[:-1]
    return "/".join(folders[: 2 if folders[:1] == ("research",) else 1]) or "(root)"


def rooms(measured: Coverage) -> dict[str, Room]:
    """All rooms, with what was measured."""
    found: defaultdict[str, Room] = defaultdict(Room)
    for path in SOURCE.rglob("*.py"):
        room = found[room_of(path, SOURCE)]
        _, statements, _, missing, _ = measured.analysis2(str(path))
        room.lines += _lines(path)
        room.statements += len(statements)
        room.missing += len(missing)
    for path in (REPOSITORY / "tests").rglob("*.py"):
        found[room_of(path, REPOSITORY / "tests")].tests += _lines(path)
    return dict(found)


def holes(measured: Coverage, count: int) -> list[str]:
    """The files with most statements that no test ran."""
    missing = {path: measured.analysis2(str(path))[3] for path in SOURCE.rglob("*.py")}
    worst = sorted(missing, key=lambda path: -len(missing[path]))[:count]
    return [f"{len(missing[path]):4} {path.relative_to(SOURCE)}: {measured.analysis2(str(path))[4]}" for path in worst]


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def main(arguments: Sequence[str]) -> int:
    measured = Coverage()
    measured.load()
    found = rooms(measured)
    print("| room | lines | lines of tests | tests per line | statements run |\n|---|---|---|---|---|")
    for name in sorted(found):
        print(found[name].row(name))
    parts = found.values()
    sums = (sum(getattr(room, name) for room in parts) for name in ("lines", "tests", "statements", "missing"))
    print(Room(*sums).row("**all**"))
    if arguments:
        print("", *holes(measured, int(arguments[0])), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
