"""Every package that an extra installs is used somewhere."""

import re
import tomllib

import pytest

from tests.conftest import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name != "dev"}
MODULES = {"opencv-python-headless": "cv2", "scikit-learn": "sklearn", "tensorboard": "torch.utils.tensorboard"}


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_an_extra_installs_is_imported(extra: str) -> None:
    source = "\n".join(path.read_text("utf-8") for path in (REPOSITORY / "src").rglob("*.py"))
    for requirement in EXTRAS[extra]:
        package = re.split(r"[<>=\[;~! ]", requirement)[0]
        module = re.escape(MODULES.get(package, package.replace("-", "_")))
        assert re.search(rf"\b(import|from) {module}\b|[\"']{module}\b", source), f"{package} of saffa[{extra}]"
