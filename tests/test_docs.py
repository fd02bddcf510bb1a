"""Pages stay short enough to be read, and what they and the program point to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

DOCS = REPOSITORY / "docs"
SHELVES = ("guide", "method", "results", "notebook")
PAGES = sorted(DOCS.rglob("*.md"))
ALL_TESTS = {
    name
    for file in (REPOSITORY / "tests").rglob("*.py")
    for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))
}
SHORT = [page for page in PAGES if page.parent.name in ("guide", "method")]


def words(page: Path) -> int:
    return len(page.read_text("utf-8").split())


def test_pages_stand_on_their_shelves() -> None:
    assert {page.parent.name for page in PAGES if page.parent != DOCS} <= set(SHELVES)


@pytest.mark.parametrize("page", SHORT, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_pages_for_people_are_short(page: Path) -> None:
    assert words(page) <= 1200


def test_the_readme_is_short() -> None:
    assert words(REPOSITORY / "README.md") <= 600


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *PAGES], ids=lambda page: page.name)
def test_no_page_is_cut_off_in_a_command(page: Path) -> None:
    fences = [line for line in page.read_text("utf-8").splitlines() if line.lstrip().startswith("```")]
    assert len(fences) % 2 == 0


def test_pages_that_the_program_names_are_there() -> None:
    named = {
        name
        for path in (REPOSITORY / "src").rglob("*.py")
        for name in re.findall(r"docs/[\w/-]+\.(?:md|png)", path.read_text("utf-8"))
    }
    assert {name for name in named if not (REPOSITORY / name).exists()} == set()


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name != "notebook"], ids=lambda page: page.name)
def test_tests_that_pages_name_are_there(page: Path) -> None:
    names = re.findall(r"`((?:tests/[\w/]+\.py)?(?:::)?(?:test_\w+)?)`", page.read_text("utf-8"))
    files = {name.partition("::")[0] for name in names if name.startswith("tests/")}
    assert {file for file in files if not (REPOSITORY / file).is_file()} == set()
    whole = [name.partition("::")[::2] for name in names if "::" in name]
    assert [(file, test) for file, test in whole if f"def {test}(" not in (REPOSITORY / file).read_text("utf-8")] == []
    assert {name for name in names if name.startswith("test_")} <= ALL_TESTS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_source_files_that_pages_name_are_there(page: Path) -> None:
    """Files are named from the repository's root or from that of the package."""
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text("utf-8")))
    places = (REPOSITORY, REPOSITORY / "src" / "saffa")
    assert {name for name in named if not any((place / name).is_file() for place in places)} == set()


def test_modules_that_the_architecture_names_are_there() -> None:
    text, package = (DOCS / "architecture.md").read_text("utf-8"), REPOSITORY / "src" / "saffa"
    named = {name for name in re.findall(r"`(\w+(?:\.\w+)+)`", text) if (package / name.partition(".")[0]).is_dir()}
    assert "media.probe" in named
    assert {name for name in named if not (package / f"{name.replace('.', '/')}.py").is_file()} == set()
