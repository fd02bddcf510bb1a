"""A video of variable rate on an axis of constant rate: every slot shows the picture that is on screen then.

Samplers and encoders count slots, so a moment that is played at a speed is played at that speed, however close its
frames lie. Where frames are further apart than slots, one is shown in several.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from saffa.core.video import ON_GRID, ConstantRateVideo, Video


def constant_rate_axis(video: Video) -> Video:
    """The video as samplers and encoders count it: itself if its rate is constant."""
    if not video.variable_rate:
        return video
    rate = video.axis_rate or video.rate
    # A slot of which less than half is left at the end is none.
    slots = np.arange(max(1, round(video.duration * rate)))
    step = 1 / (rate * video.time_base)  # a slot in ticks; in whole numbers below, since both ends are exact
    top, bottom = step.numerator, ON_GRID.denominator * step.denominator
    earliest = -((ON_GRID.numerator - ON_GRID.denominator * slots) * top // bottom)
    latest = (ON_GRID.numerator + ON_GRID.denominator * slots) * top // bottom
    known = {f.name: getattr(video, f.name) for f in fields(Video)}
    shown = video.shown_between(earliest, latest)
    return replace(ConstantRateVideo(**known), rate=rate, shown=shown)
