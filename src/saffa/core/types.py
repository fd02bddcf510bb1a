"""Short names for types that many modules use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Embeddings, relevance, sound: single precision."""
Doubles = NDArray[np.float64]
"""Times and sums: double precision."""
Ints = NDArray[np.int64]
"""Indices and counts."""
Flags = NDArray[np.bool_]
"""Yes or no for each of many."""
Rgb = NDArray[np.uint8]
"""A picture, (height, width, 3)."""
Progress = Callable[[str, float], None]
"""Called with the name of the stage and the share done, 0 to 1."""
Share = Callable[[float], None]
"""Called with the share done of one stage, 0 to 1."""
