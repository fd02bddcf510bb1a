"""Refusals with a status: one line that says what is wrong and what to do."""

from __future__ import annotations

from typing import Any


class RefusedError(Exception):
    """A request that cannot be met."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.more = status, more

    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        return {"error": {"message": str(self), **self.more}}


def missing(what: str) -> RefusedError:
    """There is no such thing; nothing is told about what else there is."""
    return RefusedError(404, f"There is no such {what}; reload the page.")
