"""From a published checkpoint to a model folder that runs without PyTorch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saffa.core.errors import InputError
from saffa.core.whole_file import file_sha256
from saffa.encoders.vdan.clips import CLIP, PICTURE
from saffa.encoders.vdan.dimensions import Dimensions, FirstState
from saffa.encoders.vdan.vocabulary import Vocabulary
from saffa.storage.checkpoints import Checkpoint, import_torch, read_checkpoint, told_traits
from saffa.storage.models import (
    BACKBONE,
    DOCUMENT,
    SENTENCE,
    VOCABULARY,
    WEIGHTS,
    ModelFolder,
    check_target,
    write_model,
)

if TYPE_CHECKING:
    from saffa.research.training.vdan.backbones import R2Plus1D34
    from saffa.research.training.vdan.networks import GuidedEncoder


def import_checkpoint(
    path: Path,
    out_dir: Path,
    *,
    vocabulary: Path | None = None,
    h0: FirstState | None = None,
    traits: Callable[[Checkpoint], Mapping[str, Any] | None] | None = None,
    overwrite: bool = False,
) -> list[ModelFolder]:
    """Read a published file and write a model folder for it; the CVPR joint file gives a second one, `…-agent`.

    `vocabulary` (a JSON word map) is for encoders whose file has none. `h0` names the ablation of a file that
    was trained without φ(v), unless its `model_params` say so: the weights alone cannot tell. `traits` decides what an
    agent is, and may refuse it (`agent.loading.traits_to_import`); otherwise it is what the file says, if it says it.
    """
    networks = read_checkpoint(path)
    decide = traits or (lambda network: told_traits(network.notes, path.name))
    known = [decide(network) if network.kind == "agent" else None for network in networks]
    targets = [out_dir.with_name(f"{out_dir.name}-agent") if i else out_dir for i in range(len(networks))]
    for target in targets:
        check_target(target, overwrite=overwrite)
    words = None if vocabulary is None else read_word_map(vocabulary)
    source = {"file": path.name, "sha256": file_sha256(path)}
    written = []
    for network, agent, target in zip(networks, known, targets, strict=True):

        def fill(part: Path, network: Checkpoint = network, agent: Mapping[str, Any] | None = agent) -> dict[str, Any]:
            facts = _write(network, words, h0, part) | ({"traits": agent} if agent else {})
            return facts | {"source": source, "notes": network.notes}

        written.append(write_model(target, fill, overwrite=overwrite))
    return written


def read_word_map(path: Path) -> dict[str, int]:
    """A JSON file {word: row}, as the authors publish it."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not a readable word map ({error}).") from None
    if isinstance(data, dict) and all(isinstance(row, int) and row >= 0 for row in data.values()):
        return data
    raise InputError(f"{path} must hold a JSON object of words and their rows.")


def build_encoder(network: Checkpoint, h0: FirstState | None = None) -> GuidedEncoder:
    """The PyTorch module of an encoder checkpoint, in evaluation mode; its weights are used as they are, not copied."""
    torch = import_torch()
    from saffa.research.training.vdan.networks import Vdan, VdanPlus  # noqa: PLC0415

    tensors = dict(network.tensors)
    dims = Dimensions.of_shapes({k: tuple(t.shape) for k, t in tensors.items()})
    h0 = h0 or network.notes.get("model_params", {}).get("h0")
    if h0 is not None:
        if (h0 == "learned") != (dims.h0 == "learned"):
            raise InputError(f"h0 = {h0} does not fit these weights.")
        dims = replace(dims, h0=h0)
    build = Vdan if network.kind == "vdan" else VdanPlus
    backbone = any(key.startswith(("vid_embedder.", "img_embedder.")) for key in tensors)
    with torch.device("meta"):
        model = build(dims, backbone=backbone)
    try:
        model.load_state_dict(tensors, strict=True, assign=True)
    except RuntimeError as error:
        raise InputError(f"The weights do not fit the network ({_first_difference(error)}).") from None
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return model.float().eval()


def _first_difference(error: RuntimeError) -> str:
    lines = str(error).strip().split("\n")
    return lines[min(1, len(lines) - 1)].strip()[:160]


def _write(network: Checkpoint, words: Mapping[str, int] | None, h0: FirstState | None, folder: Path) -> dict[str, Any]:
    from safetensors.torch import save_file  # noqa: PLC0415

    # contiguous copies: two names for one storage would not be written
    save_file({k: t.detach().clone().contiguous() for k, t in network.tensors.items()}, folder / WEIGHTS)
    facts: dict[str, Any] = {"kind": network.kind}
    if network.kind == "agent":
        shape = network.tensors["policy.fc1.weight"].shape
        return facts | {"dimensions": {"state": int(shape[1])}}
    if network.kind == "backbone":
        from saffa.research.training.vdan.onnx_export import export_backbone  # noqa: PLC0415

        export_backbone(open_backbone(network), folder / BACKBONE, CLIP.frames, CLIP.size)
        return facts | {"clip": asdict(CLIP), "dimensions": {"visual": 512}}
    return facts | _write_encoder(network, words, h0, folder)


def _write_encoder(
    network: Checkpoint, words: Mapping[str, int] | None, h0: FirstState | None, folder: Path
) -> dict[str, Any]:
    from saffa.research.training.vdan.onnx_export import export_backbone, export_document, export_sentences  # noqa: PLC0415

    model = build_encoder(network, h0)
    rows = _vocabulary(network.words or words, model.dims.vocabulary)
    (folder / VOCABULARY).write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    export_sentences(model, folder / SENTENCE)
    export_document(model, folder / DOCUMENT)
    shape = PICTURE if network.kind == "vdan" else CLIP
    if model.backbone is not None:
        export_backbone(model.backbone, folder / BACKBONE, shape.frames, shape.size)
    return {"dimensions": model.dims.to_json(), "clip": asdict(shape)}


def _vocabulary(words: Mapping[str, int] | None, size: int) -> Sequence[str | None]:
    if words is None:
        raise InputError(
            "This file has no vocabulary. Give the authors' word map (glove6B_word_map.json) with --vocabulary."
        )
    if max(words.values(), default=0) >= size:
        raise InputError(f"The vocabulary does not fit: it has rows beyond the {size} word vectors of the file.")
    return Vocabulary(words, size).words()


def open_backbone(network: Checkpoint) -> R2Plus1D34:
    """R(2+1)D-34 with the weights of the IG-65M file, in evaluation mode."""
    torch = import_torch()
    from saffa.research.training.vdan.backbones import R2Plus1D34, from_ig65m  # noqa: PLC0415

    with torch.device("meta"):
        backbone = R2Plus1D34()
    try:
        backbone.load_state_dict(from_ig65m(network.tensors), strict=True, assign=True)
    except RuntimeError as error:
        raise InputError(f"The weights are not an R(2+1)D-34 ({_first_difference(error)}).") from None
    return backbone.float().eval()
