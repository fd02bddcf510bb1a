"""A fingerprint of the code behind a result, so that what was computed before is used again only if it still holds."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


@lru_cache(maxsize=64)
def code_print(*modules: str, without: str = "") -> str:
    """SHA-256 over the source of these modules and of every module of saffa that they import, at any depth.

    `without` names a room that plays no part in the result, for example the reading of files that are not read.
    """
    seen: dict[Path, bytes] = {}
    waiting = [path for module in modules for path in _files(module)]
    while waiting:
        path = waiting.pop()
        if path not in seen and not (without and (PACKAGE / without) in path.parents):
            seen[path] = sources()[path]
            waiting.extend(_imports(seen[path]))
    digest = hashlib.sha256()
    for path in sorted(seen):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + seen[path] + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=1)
def sources() -> dict[Path, bytes]:
    """All source files as they were when this was first called.

    Call it before long work: a file that is edited meanwhile must not lend its hash to what the old code computed.
    """
    return {path: path.read_bytes() for path in PACKAGE.rglob("*.py")}


def _imports(source: bytes) -> list[Path]:
    found: list[Path] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found.extend(path for name in names for path in _files(name))
    return found


def _files(module: str) -> list[Path]:
    """The file of a module of saffa; none for a name that is no module, or another package's.

    Packages' `__init__` files are left out: they only gather what others define.
    """
    first, *rest = module.split(".")
    if first != PACKAGE.name or not rest:
        return []
    path = PACKAGE.joinpath(*rest).with_suffix(".py")
    return [path] if path in sources() else []
