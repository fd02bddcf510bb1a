"""saffa: shorten an instructional video with a text.

    result = saffa.accelerate("pasta.mp4", text="recipe.txt", speed=8, output="short.mp4")

or step by step: `align` once, `select` many times, `render`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saffa.api import accelerate, align, render, select
    from saffa.core.alignment import Alignment
    from saffa.core.corrections import Cut, Here, Keep, Only, Skip, Weight
    from saffa.core.document import Document
    from saffa.core.errors import InputError, SaffaError
    from saffa.core.result import Result
    from saffa.core.selection import Selection
    from saffa.core.timeline import Timeline, TimeMap
    from saffa.encoders.registry import load_encoder
    from saffa.media.writer import RenderOptions
    from saffa.methods.paper.loading import load_agent

# Where each public name lives. Names are imported when first used, so that `import saffa` costs nothing.
_HOMES = {
    "Alignment": "saffa.core.alignment",
    "Cut": "saffa.core.corrections",
    "Document": "saffa.core.document",
    "Here": "saffa.core.corrections",
    "InputError": "saffa.core.errors",
    "Keep": "saffa.core.corrections",
    "Only": "saffa.core.corrections",
    "RenderOptions": "saffa.media.writer",
    "Result": "saffa.core.result",
    "SaffaError": "saffa.core.errors",
    "Selection": "saffa.core.selection",
    "Skip": "saffa.core.corrections",
    "TimeMap": "saffa.core.timeline",
    "Timeline": "saffa.core.timeline",
    "Weight": "saffa.core.corrections",
    "accelerate": "saffa.api",
    "align": "saffa.api",
    "load_agent": "saffa.methods.paper.loading",
    "load_encoder": "saffa.encoders.registry",
    "render": "saffa.api",
    "select": "saffa.api",
}

__all__ = [
    "Alignment",
    "Cut",
    "Document",
    "Here",
    "InputError",
    "Keep",
    "Only",
    "RenderOptions",
    "Result",
    "SaffaError",
    "Selection",
    "Skip",
    "TimeMap",
    "Timeline",
    "Weight",
    "accelerate",
    "align",
    "load_agent",
    "load_encoder",
    "render",
    "select",
]


def __getattr__(name: str) -> Any:
    if name == "agent":
        return import_module("saffa.agent")
    if name not in _HOMES:
        raise AttributeError(f"module 'saffa' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


if "gymnasium" in sys.modules:  # its custom: who imports a package can make its environments
    import_module("saffa.research.training.saffa.registration").register()
