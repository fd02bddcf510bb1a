"""The command, on a disk whose reads of videos fail from byte $FAIL_FROM on, at opening number $FAIL_OPENING of one."""

import errno
import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from saffa.media import container

_OPENINGS = count()


class FailingSource(container.FileSource):
    """A file as it is read from a broken disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if next(_OPENINGS) == int(os.environ["FAIL_OPENING"]):
            container.ByteSource.__init__(self, partial(_read, self.tell, partial(os.read, self._file)))


def _read(tell: Callable[[], int], read: Callable[[int], bytes], size: int) -> bytes:
    if tell() + size > int(os.environ["FAIL_FROM"]):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return read(size)


if __name__ == "__main__":
    container.FileSource = FailingSource  # type: ignore[misc]
    from saffa.__main__ import main

    main()
