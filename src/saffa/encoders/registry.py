"""From a video and a text to an Alignment."""

from __future__ import annotations

from collections.abc import Callable

from saffa.encoders.base import Encoder
from saffa.storage.store import Store


def load_encoder(
    name: str = "auto", *, cache: Store | None = None, progress: Callable[[float], None] = lambda _: None
) -> Encoder:
    """`auto` (what the file offers), `narrated`, `visual`, `fused`, `clip:FOLDER`, or an imported model's name or path.

    With a `cache`, what was seen in a video is kept for the next text. `progress` hears how far a look at it is.
    """
    if name == "narrated":
        from saffa.encoders.narrated.encoder import NarratedEncoder  # noqa: PLC0415

        return NarratedEncoder()
    if name == "narrated-live":
        from saffa.encoders.narrated.live import NarratedLiveEncoder  # noqa: PLC0415

        return NarratedLiveEncoder()
    if name in ("auto", "visual", "fused"):
        from saffa.encoders.fused import AutoEncoder, FusedEncoder  # noqa: PLC0415
        from saffa.encoders.visual.encoder import VisualEncoder  # noqa: PLC0415

        visual = VisualEncoder(cache=cache, progress=progress)
        return visual if name == "visual" else FusedEncoder(visual) if name == "fused" else AutoEncoder(visual)
    if name.partition(":")[0] == "clip":
        from saffa.encoders.visual.clip import ClipModel, ClipVision, clip_folder  # noqa: PLC0415
        from saffa.encoders.visual.encoder import VisualEncoder  # noqa: PLC0415

        folder = clip_folder(name.partition(":")[2])
        return VisualEncoder(ClipModel(folder), ClipVision(folder), cache, progress, f"clip:{folder.name}")
    if name == "none":
        from saffa.encoders.none import NoEncoder  # noqa: PLC0415

        return NoEncoder()
    from saffa.encoders.vdan.encoder import open_encoder  # noqa: PLC0415

    return open_encoder(name, cache=cache, progress=progress)
