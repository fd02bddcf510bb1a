import io
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError


def example(times: int = 4, sentences: int = 3) -> Alignment:
    unit = np.eye(times, 8, dtype=np.float32)
    return Alignment(
        times=np.arange(times, dtype=np.float32),
        e_v=unit,
        e_d=unit[::-1].copy(),
        relevance=np.array([0, 3, -1, 2], np.float32)[:times],
        sentence_weights=np.eye(times, sentences, dtype=np.float32),
        document=tuple(f"step {i}" for i in range(sentences)),
        frames=100,
        rate=Fraction(30_000, 1001),
        encoder="test",
    )


def test_survives_a_round_trip(tmp_path: Path) -> None:
    before = example()
    before.save(tmp_path / "a.npz")
    after = Alignment.load(tmp_path / "a.npz")
    assert (after.document, after.frames, after.rate, after.encoder) == (
        before.document,
        before.frames,
        before.rate,
        before.encoder,
    )
    for name in ("times", "e_v", "e_d", "relevance", "sentence_weights"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def test_relevance_of_every_frame_is_interpolated() -> None:
    per_frame = example().relevance_per_frame()
    assert per_frame.shape == (100,)
    np.testing.assert_allclose(per_frame[[0, 15]], [0, 3 * 15 * 1.001 / 30])
    assert per_frame[-1] == 2  # after the last time


def test_sentence_only_where_the_text_is_followed() -> None:
    assert example().sentence_at([0.0, 1.4, 1.6, 2.9]) == [None, 1, None, 0]


def test_refuses_shapes_that_do_not_fit() -> None:
    good = example()
    with pytest.raises(ValueError, match="e_v"):
        Alignment(**{**vars(good), "e_v": good.e_v[:2]})
    with pytest.raises(ValueError, match="sentence_weights"):
        Alignment(**{**vars(good), "document": ("one",)})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("frames", 0),
        ("rate", Fraction(0)),
        ("times", np.array([0, 2, 1, 3], np.float32)),
        ("times", np.array([0, 1, 2, np.nan], np.float32)),
        ("relevance", np.array([0, 1, 2, np.nan], np.float32)),
        ("relevance", np.array([0, 1, 2, np.inf], np.float32)),
        ("sentence_weights", np.full((4, 3), np.nan, np.float32)),
    ],
)
def test_refuses_what_no_walk_could_use(part: str, value: object, tmp_path: Path) -> None:
    good = example()
    with pytest.raises(ValueError, match=r"at least one frame|finite"):
        Alignment(**{**vars(good), part: value})
    object.__setattr__(good, part, value)
    good.save(tmp_path / "a.npz")
    with pytest.raises(InputError, match="not an alignment file"):
        Alignment.load(tmp_path / "a.npz")


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no alignment file"):
        Alignment.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="not an alignment file"):
        Alignment.load(tmp_path / "text.npz")
    example().save(tmp_path / "cut.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "cut.npz").read_bytes()[:-100])
    (tmp_path / "empty.npz").touch()
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("cut.npz", "empty.npz", "array.npy"):
        with pytest.raises(InputError, match="not an alignment file"):
            Alignment.load(tmp_path / name)
    example().save(tmp_path / "kind.npz")
    data = (tmp_path / "kind.npz").read_bytes()
    version = data.index(b"PK\x01\x02") + 6
    newer, renamed = data[:version] + b"\xff\x00" + data[version + 2 :], data.replace(b"meta.npy", b"meta\nnpy", 1)
    file = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "kind.npz") as good, zipfile.ZipFile(file, "w") as odd:
        for name in good.namelist():  # NumPy reads the head of an array as Python's tokens
            odd.writestr(name, good.read(name).replace(b"'fortran_order'", b"((((((((((((((("))
    for changed in (newer, renamed, file.getvalue()):
        (tmp_path / "kind.npz").write_bytes(changed)
        with pytest.raises(InputError, match="not an alignment file") as refused:
            Alignment.load(tmp_path / "kind.npz")
        assert "\n" not in str(refused.value)
    np.savez(tmp_path / "other.npz", times=np.zeros(3))
    with pytest.raises(InputError, match="not an alignment file"):
        Alignment.load(tmp_path / "other.npz")
