from collections.abc import Iterator
from pathlib import Path

import pytest

from saffa.storage import code_fingerprint as module
from saffa.storage.code_fingerprint import code_print, sources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of three modules: a imports room.b, which imports c; d stands alone."""
    root = tmp_path / "saffa"
    (root / "room").mkdir(parents=True)
    (root / "a.py").write_text("def late():\n    from saffa.room import b\n    return b\n")
    (root / "room" / "b.py").write_text("from saffa.c import thing\n")
    (root / "c.py").write_text("thing = 1\n")
    (root / "d.py").write_text("import os\n")
    monkeypatch.setattr(module, "PACKAGE", root)
    forget()
    yield root
    monkeypatch.undo()
    forget()


def forget() -> None:
    code_print.cache_clear()
    sources.cache_clear()


def changed(path: Path, *modules: str, without: str = "") -> bool:
    before = code_print(*modules, without=without)
    path.write_text(path.read_text() + "# other\n")
    assert code_print(*modules, without=without) == before  # as it was when the work began
    forget()
    return code_print(*modules, without=without) != before


def test_follows_imports_at_any_depth(package: Path) -> None:
    assert changed(package / "c.py", "saffa.a")
    assert changed(package / "a.py", "saffa.a")
    assert not changed(package / "d.py", "saffa.a")
    assert changed(package / "d.py", "saffa.a", "saffa.d")


def test_a_room_can_be_left_out(package: Path) -> None:
    assert not changed(package / "room" / "b.py", "saffa.a", without="room")
    assert changed(package / "room" / "b.py", "saffa.a")


def test_real_modules() -> None:
    forget()
    assert code_print("saffa.methods.uniform") != code_print("saffa.methods.planner.plan")
    assert code_print("numpy") == code_print()  # other packages have versions of their own
