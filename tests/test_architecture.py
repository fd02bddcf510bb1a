"""The page about the house names the rooms that are there, and all of them."""

import re
from fnmatch import fnmatch

import saffa
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "architecture.md"


def test_the_page_names_every_room_and_no_other() -> None:
    rows = re.findall(r"^\| (`[^|]*) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    (folder,) = saffa.__path__
    package = REPOSITORY.joinpath(folder)
    files = {path.name for path in package.glob("*.py") if not path.name.startswith("__")}
    folders = {f"{path.name}/" for path in package.iterdir() if path.is_dir() and (path / "__init__.py").is_file()}
    here = files | folders
    assert [name for name in named if not (package / name).exists() and not any(fnmatch(h, name) for h in here)] == []
    assert {one for one in here if not any(fnmatch(one, name) for name in named)} == set()
