"""Fingerprints: of values by their content, of code by its source."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.storage import fingerprint as module
from saffa.storage.fingerprint import NO_PART, code_print, fingerprint, sources


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


@dataclass(frozen=True)
class Part:
    width: int
    weights: NDArray[np.float32]
    told: Callable[[], None] = field(default=lambda: None, metadata=NO_PART)


def test_values_by_content() -> None:
    ones, twos = np.ones(3, np.float32), np.full(3, 2, np.float32)
    assert fingerprint(Part(1, ones)) == fingerprint(Part(1, ones.copy(), print))
    others: list[tuple[object, ...]] = [
        (Part(2, ones),),
        (Part(1, twos),),
        (Part(1, ones.astype(np.float64)),),
        ({"a": 1},),
        ({"a": "1"},),
    ]
    others += [("ab", "c"), ("a", "bc"), ("abc",), (["ab"], "c"), (["ab", "c"],), (1,), (1.0,), (True,), (None,), ()]
    found = [fingerprint(*values) for values in others]
    assert len(set(found)) == len(others)


def test_an_object_tells_its_own_hash_or_is_refused() -> None:
    class Network:
        def __init__(self, sha256: str) -> None:
            self.sha256 = sha256

    assert fingerprint(Network("a")) == fingerprint(Network("a")) != fingerprint(Network("b"))
    for unknown in (object(), print, Path("somewhere"), {1, 2}):
        with pytest.raises(TypeError, match="has no fingerprint"):
            fingerprint({"deep": [unknown]})
