"""A training run of VDAN on pictures, from a folder to a model that reads videos.

The folder is a person's own clips or pictures with captions, or the research data whose `image_text` holds features.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from safetensors.numpy import save_file

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.core.types import Progress
from saffa.core.whole_file import whole_file
from saffa.encoders.vdan.picture_space import PictureSpace
from saffa.encoders.vdan.picture_vdan import KIND, arrays_of
from saffa.encoders.visual.frame_features import FEATURES
from saffa.research.datasets import image_text
from saffa.research.datasets.captioned_folder import CaptionedFolder
from saffa.research.datasets.image_text import COOKING, ImageText
from saffa.research.evaluation.picture_documents import reciprocal_rank
from saffa.research.training.run import read_state
from saffa.research.training.shrink_model import halved
from saffa.research.training.vdan.captioned_sets import CaptionedSet, Sentences
from saffa.research.training.vdan.networks import Vdan
from saffa.research.training.vdan.onnx_export import export_document, export_sentences
from saffa.research.training.vdan.picture_scores import SetReader
from saffa.research.training.vdan.picture_training import BEST, PictureSettings, PictureTrainer
from saffa.research.training.vdan.space_fit import fit_space
from saffa.research.training.visual.cooking import CookingSettings
from saffa.research.training.visual.run import other_recipes
from saffa.storage.models import DOCUMENT, SENTENCE, VOCABULARY, WEIGHTS, ModelFolder, write_model

KEPT, MODEL, RESULT = "features.npz", "model", "result.json"


@dataclass(frozen=True, eq=False)
class Pictures:
    """Sets of pictures, each with a training and a validation part; `recipes` are texts of the cooking domain."""

    sets: tuple[ImageText, ...]
    recipes: tuple[tuple[str, ...], ...]
    fingerprint: str

    @classmethod
    def read(cls, data: Path, run: Path, progress: Progress) -> Pictures:
        """Read DATA/image_text, or a captioned folder, whose features are kept in the run's folder."""
        if (data / image_text.FOLDER).is_dir():
            sets = tuple(image_text.load(data, name) for name in image_text.available(data))
            cooking = [part for part in sets if part.name == COOKING]
            recipes = tuple(other_recipes(data, cooking[0])) if cooking else ()
            made = cls(sets, recipes, _fingerprint(sets))
        else:
            folder = CaptionedFolder.open(data)
            made = cls((_seen(folder, run, progress),), (), folder.fingerprint)
        for part in made.sets:
            if part.stored.shape[2] != FEATURES:
                raise InputError(
                    f"The features of {part.name} have {part.stored.shape[2]} numbers; the shipped backbone gives "
                    f"{FEATURES}, and a model of other features could not read videos."
                )
        return made


def train_pictures(
    data: Path,
    output: Path,
    settings: PictureSettings,
    *,
    resume: bool = False,
    progress: Progress = lambda *_: None,
) -> dict[str, Any]:
    """Train or go on training in `output`, write `output`/model, and score it on the validation parts."""
    pictures = Pictures.read(data, output, progress)
    training = [part.part("train") for part in pictures.sets]
    validation = [part.part("val") for part in pictures.sets]
    fitted = fit_space(training, pictures.recipes, CookingSettings(), settings.seed)
    sentences = Sentences()
    learnt = [
        CaptionedSet.of(part, fitted.space, sentences, fitted.held_out if part.name == COOKING else None)
        for part in training
    ]
    tried = [CaptionedSet.of(part, fitted.space, sentences) for part in validation]
    words = sentences.vectors(fitted.space)
    trainer = PictureTrainer(output, settings, words, sentences.table(), fitted.space.width)
    best = trainer.fit(
        learnt, tried, data=pictures.fingerprint, resume=resume, progress=lambda share: progress("Training", share)
    )
    return finish_pictures(trainer, fitted.space, tried, best)


def finish_pictures(
    trainer: PictureTrainer, space: PictureSpace, validation: Sequence[CaptionedSet], best: dict[str, Any]
) -> dict[str, Any]:
    """Scores of the best weights, and the model's folder; the numbers also stand in result.json."""
    trainer.encoder.load_state_dict(read_state(trainer.folder / BEST)["encoder"])
    scores = {part.name: set_scores(trainer, part) for part in validation}
    facts = {"settings": asdict(trainer.settings), "step": best["epoch"], "hours": trainer.seconds / 3600}
    folder = write_picture_model(trainer.encoder, space, trainer.folder / MODEL, facts | {"validation": scores})
    done = {"model": str(folder.path), "step": best["epoch"], "hours": trainer.seconds / 3600, "validation": scores}
    with whole_file(trainer.folder / RESULT) as part:
        part.write_text(json_text(done) + "\n", "utf-8")
    return done


def write_picture_model(encoder: Vdan, space: PictureSpace, target: Path, facts: Mapping[str, Any]) -> ModelFolder:
    """Write a trained VDAN as a model folder: two graphs in half precision and what prepares their inputs.

    `facts` (data, command, quality, …) join its manifest.
    """

    def fill(part: Path) -> Mapping[str, Any]:
        arrays, words = arrays_of(space)
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, part / WEIGHTS)
        (part / VOCABULARY).write_text(json.dumps(words), "utf-8")
        for export, name in ((export_sentences, SENTENCE), (export_document, DOCUMENT)):
            export(encoder, part / name)
            onnx.save(halved(onnx.load(part / name)), part / name)
        return {"kind": KIND, "dimensions": encoder.dims.to_json(), **facts}

    encoder.eval()
    return write_model(target, fill, overwrite=True)


def set_scores(trainer: PictureTrainer, part: CaptionedSet) -> dict[str, Any]:
    """Documents of four sentences, and the honest reciprocal rank."""
    reader = SetReader.of(trainer.encoder, trainer.read, part)
    return trainer.scores(part)._asdict() | {"mrr": reciprocal_rank(reader, len(part))}


def _seen(folder: CaptionedFolder, run: Path, progress: Progress) -> ImageText:
    """Features of a person's own files; looking at them is the long part, so they are kept for a resumed run."""
    print_, kept = folder.fingerprint, run / KEPT
    if kept.is_file():
        try:
            with kept.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                if str(arrays["data"]) != print_:
                    raise InputError(f"The data of the run in {run} has changed since it began; start a new run.")
                return folder.with_features(arrays["features"])
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            kept.unlink()
    seen = folder.features(lambda share: progress("Looking at the files", share))
    with whole_file(kept) as part, part.open("wb") as target:
        np.savez(target, features=seen.stored, data=np.array(print_))
    return seen


def _fingerprint(sets: Sequence[ImageText]) -> str:
    digest = hashlib.sha256()
    for part in sets:
        digest.update(json.dumps([part.name, part.ids, part.splits, part.captions]).encode())
        digest.update(np.ascontiguousarray(part.stored).tobytes())
    return digest.hexdigest()
