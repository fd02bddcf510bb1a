"""The walk of docs/guide/web-api.md, run as it stands."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import av
import pytest

from tests.conftest import REPOSITORY
from tests.web.serving import serving

PAGE = REPOSITORY / "docs" / "guide" / "web-api.md"


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
def test_the_walk_works_as_written(videos: Path, tmp_path: Path) -> None:
    script = "set -euo pipefail\n" + "\n".join(re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    with serving(videos, tmp_path / "state") as server:
        variables = os.environ | {"URL": server.url, "TOKEN": server.token}
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n8.0\n" in done.stdout
    assert "\n1000\n" in done.stdout
    assert (tmp_path / "short.edl").stat().st_size > 100
    with av.open(str(tmp_path / "short.mp4")) as movie:
        assert sum(1 for _ in movie.decode(video=0)) == 150
