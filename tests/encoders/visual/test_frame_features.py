"""Features of a video's pictures."""

from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import SaffaError
from saffa.encoders.visual.frame_features import FEATURES, SIZE, PictureBackbone, see
from saffa.media.probe import probe
from saffa.media.thumbnails import thumbnails
from saffa.sample import VIDEO
from saffa.storage.models import open_session
from tests.media.movies import Movie, make


def test_features_are_those_of_the_looks(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=100)))
    shares: list[float] = []
    seen = see(video, PictureBackbone(threads=1), shares.append)
    found = sorted(thumbnails(video, SIZE))
    assert seen.features.shape == (len(found), FEATURES)
    np.testing.assert_allclose(seen.times, [look.time for look in found], atol=1e-5)
    alone = PictureBackbone(threads=1).features(np.stack([found[3].picture]))[0]
    np.testing.assert_allclose(seen.features[3], alone, atol=1e-3)
    assert shares == sorted(shares)
    assert shares[-1] > 0.8


def test_scenes_of_the_sample_differ() -> None:
    """Two pictures of one scene are more alike than pictures of different scenes, in a real file."""
    video = probe(VIDEO)
    seen = see(video, PictureBackbone(threads=1))
    centred = seen.features - seen.features.mean(0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    near = (centred[1:] * centred[:-1]).sum(1).mean()
    far = (centred[40:] * centred[:-40]).sum(1).mean()
    assert near > far + 0.3


def test_a_missing_graph_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SaffaError, match="cannot be run"):
        open_session(tmp_path / "none.onnx", threads=1)
