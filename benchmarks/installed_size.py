"""Megabytes on disk of saffa without extras and of each package that it needs: `python -m benchmarks.installed_size`.

The sizes are those of the files that the packages in this environment list as theirs, compiled code among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

BLOCK = 4096
PACKAGE = Path(__file__).parents[1] / "src" / "saffa"


def needed(name: str, found: dict[str, Distribution]) -> None:
    """Add a package and all that it needs without extras."""
    key = name.lower().replace("_", "-")
    if key in found:
        return
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:  # another system needs it
        return
    for line in found[key].requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed(requirement.name, found)


def on_disk(paths: Iterator[Path]) -> int:
    """Bytes of the blocks that the files take."""
    return sum(-(-path.stat().st_size // BLOCK) * BLOCK for path in paths if path.is_file())


def main() -> None:
    found: dict[str, Distribution] = {}
    needed("saffa", found)
    sizes = {name: on_disk(Path(str(one.locate_file(f))) for f in one.files or ()) for name, one in found.items()}
    sizes["saffa"] = on_disk(PACKAGE.rglob("*"))  # it is installed from its sources here
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        print(f"{sizes[name] / 1e6:7.1f} {name}")
    print(f"{sum(sizes.values()) / 1e6:7.1f} together")


if __name__ == "__main__":
    main()
