"""The pure parts of the page (time mapping, hit testing, undo, the preview's decisions) run in node."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import saffa.web

STATIC = Path(saffa.web.__path__[0]) / "static"
HERE = Path(__file__).parent
NODE = shutil.which("node")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's modules beside their tests, marked as ES modules for node."""
    folder = tmp_path_factory.mktemp("static")
    for path in (*STATIC.glob("*.js"), *HERE.glob("*.test.js")):
        shutil.copy(path, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.mark.skipif(NODE is None, reason="node is not installed; the pure modules of the page are not tested")
@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_pure_module(modules: Path, name: str) -> None:
    run = subprocess.run([str(NODE), "--test", name], cwd=modules, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_nothing_comes_from_elsewhere() -> None:
    """No outside assets, no inline script or style: a strict content policy holds and the page works offline."""
    for path in STATIC.iterdir():
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text and "https://" not in text and "//cdn" not in text, path.name
    page = (STATIC / "index.html").read_text("utf-8")
    assert "style=" not in page and "<style" not in page and " onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src="static/')


def test_files_stay_small() -> None:
    lengths = {path.name: path.read_text("utf-8").count("\n") for path in STATIC.iterdir()}
    assert {name: n for name, n in lengths.items() if n > 500} == {}
    lines = {path.name: path.read_text("utf-8").splitlines() for path in STATIC.glob("*.js")}
    assert {name for name, all_lines in lines.items() if max(map(len, all_lines)) > 120} == set()


def test_names_in_the_page_exist() -> None:
    """Every id that a module looks up is in the page."""
    page = (STATIC / "index.html").read_text("utf-8")
    for path in STATIC.glob("*.js"):
        for part in path.read_text("utf-8").split('byId("')[1:]:
            assert f'id="{part.partition(chr(34))[0]}"' in page, f"{path.name}: {part[:30]}"


def test_icons_exist() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    for path in (*STATIC.glob("*.js"), STATIC / "index.html"):
        for name in re.findall(r'#(icon-\w+)"', path.read_text("utf-8")):
            assert f'id="{name}"' in page, f"{path.name}: {name}"
