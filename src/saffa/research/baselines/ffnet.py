"""FFNet as a sampler: supervised, blind to the text and to the target speed; its network is in `ffnet_network`."""

from __future__ import annotations

from dataclasses import dataclass

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.encoders.registry import entry_of
from saffa.research.baselines.ffnet_network import load_ffnet

SHIPPED = {"narrated": "ffnet-narrated", "msvd-plus": "ffnet-msvd-long"}
"""Trained models by the encoder whose e_v they read."""


@dataclass(frozen=True)
class Ffnet:
    """`agent` names a model; without one the shipped model of the alignment's encoder is taken."""

    agent: str | None = None
    name: str = "ffnet"
    reads_text: bool = True
    """Not the text, but it looks at the encoder's e_v."""

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Frame 0 and every frame it jumps to; the speed is its own."""
        space = entry_of(alignment.encoder).space or alignment.encoder
        source = self.agent or SHIPPED.get(space)
        if source is None:
            raise InputError(
                f"ffnet has no trained model for the encoder {alignment.encoder}. Train one with `saffa train ffnet` "
                "and name it with --agent, or use --encoder narrated."
            )
        network = load_ffnet(source)
        width = alignment.e_v.shape[1]
        if width != network.inputs or network.encoder not in ("", space):
            raise InputError(
                f"{source} learned from {network.inputs} numbers of the encoder {network.encoder or '?'}, but the "
                f"encoder {alignment.encoder} gives {width}. Use the encoder that it was trained with."
            )
        frames = network.walk(*alignment.held_features())
        return Selection(frames, alignment.frames, float(speed), self.name)
