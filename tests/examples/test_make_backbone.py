"""The picture backbone: layers, export, and the shipped graph."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from examples.make_backbone import (
    DEVIATION,
    FEATURES,
    MEAN,
    EfficientNetLite0,
    export_efficientnet,
    published_names,
)

from saffa.storage.models import open_session, shipped
from tests.encoders.rule import fill


def made_net() -> EfficientNetLite0:
    net = EfficientNetLite0().eval()
    fill(net)
    return net


@pytest.mark.parametrize(("half", "size", "close"), [(False, 64, 1e-4), (True, 64, 2e-2), (False, 63, 1e-4)])
def test_graph_equals_layers(tmp_path: Path, half: bool, size: int, close: float) -> None:
    net = made_net()
    export_efficientnet(net, tmp_path / "b.onnx", size=size, half=half)
    pictures = np.random.default_rng(3).integers(0, 256, (3, size, size, 3), np.uint8)
    normal = (torch.from_numpy(pictures) / 255 - torch.tensor(MEAN)) / torch.tensor(DEVIATION)
    with torch.no_grad():
        wanted = net(normal.permute(0, 3, 1, 2)).numpy()
    got = open_session(tmp_path / "b.onnx", threads=1).run(["features"], {"pictures": pictures})[0]
    assert wanted.std() > 0.01
    assert np.abs(got - wanted).max() <= close * np.abs(wanted).max()


def test_published_weights_find_their_places() -> None:
    net, other = made_net(), EfficientNetLite0()
    published = {theirs: net.state_dict()[own] for own, theirs in published_names(net)}
    assert published["_blocks.1._expand_conv.weight"].shape == (96, 16, 1, 1)
    assert published["_conv_head.weight"].shape == (FEATURES, 320, 1, 1)
    other.load_published(published | {"_fc.weight": torch.zeros(1)})
    for name, value in net.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name


def test_the_shipped_graph_is_the_one_its_manifest_names() -> None:
    folder = shipped("visual")
    facts = json.loads((folder / "backbone.json").read_text("utf-8"))
    for name, digest in facts["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert "Apache-2.0" in facts["licence"]


def test_the_shipped_graph_sees_differences() -> None:
    session = open_session(shipped("visual") / "backbone.onnx", threads=1)
    ramp = np.linspace(0, 255, 224).astype(np.uint8)
    across = np.broadcast_to(ramp[None, :, None], (224, 224, 3))
    pictures = np.stack([across, across.transpose(1, 0, 2), np.zeros_like(across)])
    features = session.run(["features"], {"pictures": pictures})[0]
    assert features.shape == (3, FEATURES)
    assert features.min() >= 0
    assert features.max() <= 6
    directions = features / np.linalg.norm(features, axis=1, keepdims=True)
    assert (directions @ directions.T)[np.triu_indices(3, 1)].max() < 0.98
