"""One server for all tests of a file's neighbours; those that restart it start their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

from tests.web.serving import Server, kitchen, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("web")
    with serving(kitchen(place / "videos"), place / "state", "--max-upload", "5", "--max-sentences", "50") as running:
        yield running


@pytest.fixture(scope="session")
def project(server: Server) -> str:
    """A project that is ready."""
    return str(server.project()["id"])


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    return kitchen(tmp_path / "videos")
