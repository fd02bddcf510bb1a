"""The end of a training run: ranks of the best weights, and a model folder that runs without PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from saffa.research.training.run_log import read_state
from saffa.research.training.vdan.importing import import_checkpoint
from saffa.research.training.vdan.pairs import CaptionTable, ClipSource
from saffa.research.training.vdan.ranking import reciprocal_ranks
from saffa.research.training.vdan.training import BEST, Trainer

MODEL = "model"
RANKED = 500  # clips at most: the honest rank reads N² documents


def finish(trainer: Trainer, validation: ClipSource, best: dict[str, Any]) -> dict[str, Any]:
    """What the run found, as plain numbers; the best weights are left in the trainer."""
    state = read_state(trainer.folder / BEST)
    encoder = trainer.encoder
    encoder.load_state_dict({k: t for k, t in state["model_state_dict"].items() if k in encoder.state_dict()})
    clips = range(min(RANKED, len(validation.captions)))
    table = CaptionTable([validation.captions[clip] for clip in clips], trainer.words.vocabulary)
    ranks = reciprocal_ranks(encoder, trainer.visual(validation, clips), table)
    folder: Path = trainer.folder / MODEL
    import_checkpoint(trainer.folder / BEST, folder, h0=encoder.dims.h0, overwrite=True)
    return {
        "epoch": best["epoch"],
        "validation_loss": best["validation_loss"],
        "mrr_own_clip": ranks.own,
        "mrr_query_clip": ranks.query,
        "mrr_clips": ranks.clips,
        "model": str(folder),
    }
