"""Who may know whom: the rooms of docs/architecture.md, read off the imports of every file."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import saffa
from tests.conftest import REPOSITORY

PACKAGE = Path(saffa.__path__[0])
GROUND = ("core", "export", "storage", "media", "speech", "screens", "encoders", "methods")
ROOMS = (*GROUND, "pipeline", "api", "research", "scale", "web", "cli")
"""From the ground up: a room may know those before it, except that only the command line knows `research`."""
ALLOWED = {room: set(ROOMS[:place]) - {"research"} for place, room in enumerate(ROOMS)} | {"cli": set(ROOMS) - {"cli"}}
for room in ("storage", "media", "speech", "screens", "encoders", "methods"):
    ALLOWED[room] -= {"export"}
ALLOWED["media"] -= {"storage"}
ALLOWED["web"] = {"core", "api"}
FACE = {"__init__", "__main__", "agent", "sample", "models"}
"""The package's face and its data: not rooms, and only the face may name any room."""


def test_arrows_between_rooms_go_down() -> None:
    wrong = {(one, other) for one, other in _imports() if _room(other) not in ALLOWED[_room(one)] | {_room(one)}}
    assert sorted(wrong) == []


def test_rooms_have_no_cycles() -> None:
    knows = defaultdict(set)
    for one, other in _imports():
        if _room(one) != _room(other):
            knows[_room(one)].add(_room(other))
    order: list[str] = []
    while len(order) < len(ROOMS):
        free = [room for room in ROOMS if room not in order and knows[room] <= set(order)]
        assert free, f"a cycle among {sorted(set(ROOMS) - set(order))}"
        order += free


def test_pytorch_stays_in_its_rooms() -> None:
    users = {module for module in _modules() if _names(module) & {"torch"}}
    assert {one for one in users if _room(one) != "research" and one != "storage.checkpoints"} == set()


def test_no_folder_is_too_full() -> None:
    counts = {folder: len(list(folder.glob("*.py"))) for folder in (PACKAGE, *PACKAGE.rglob("*/"))}
    assert {folder.name: n for folder, n in counts.items() if n > 20} == {}
    assert counts[PACKAGE] <= 6


def test_no_file_is_too_long() -> None:
    lengths = {module: path.read_text("utf-8").count("\n") for module, path in _modules().items()}
    assert {module: n for module, n in lengths.items() if n > 500} == {}


def test_no_two_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for module, path in _modules().items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_kinds_of_arrays_and_callbacks_have_one_name() -> None:
    """`Floats` means the same wherever it is read: what `core.types` names, no other module names anew."""
    names = {"Floats", "Doubles", "Ints", "Flags", "Rgb", "Progress", "Share"}
    homes = defaultdict(list)
    for module, path in _modules().items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign | ast.ClassDef):
                named = [node.name] if isinstance(node, ast.ClassDef) else map(ast.unparse, node.targets)
                for name in names.intersection(named):
                    homes[name].append(module)
    assert homes == {name: ["core.types"] for name in names}


def test_the_page_names_every_room() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
    folders = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").is_file()}
    assert {name for name in folders if f"`{name}/`" not in page} == set()


def _modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def _room(module: str) -> str:
    return module.partition(".")[0]


def _names(module: str) -> set[str]:
    """The first part of every module that this one imports, lazily or not."""
    return {name.partition(".")[0] for name in _imported(_modules()[module])}


def _imports() -> set[tuple[str, str]]:
    """(importer, imported) for all modules of saffa outside its face."""
    modules = _modules()
    pairs = set()
    for one, path in modules.items():
        for name in _imported(path):
            inside = name.removeprefix("saffa.")
            while name.startswith("saffa.") and inside not in modules and "." in inside:
                inside = inside.rpartition(".")[0]
            if name.startswith("saffa.") and inside in modules:
                pairs.add((one, inside))
    return {(one, other) for one, other in pairs if _room(one) not in FACE and _room(other) not in FACE}


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names
