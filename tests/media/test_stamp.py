"""A file that was read before is known again: as it was, grown, or only touched; not if it is another one."""

import hashlib
import os
from pathlib import Path

from saffa.core.whole_file import stamp_of
from saffa.media.probe import is_as_it_was


def test_changes_that_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(b"film")
    stamp, sha256 = stamp_of(path), hashlib.sha256(b"film").hexdigest()
    assert is_as_it_was(path, stamp, sha256)
    assert is_as_it_was(path, None, "not known")
    os.utime(path, ns=(1, 1))
    assert is_as_it_was(path, stamp, sha256)
    path.write_bytes(b"film and more")
    assert is_as_it_was(path, stamp, sha256)
    for other in (b"Film", b"fil", b""):
        path.write_bytes(other)
        os.utime(path, ns=(2, 2))
        assert not is_as_it_was(path, stamp, sha256)
    path.unlink()
    assert stamp_of(path) is None
    assert not is_as_it_was(path, stamp, sha256)
