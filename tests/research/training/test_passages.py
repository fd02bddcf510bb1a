"""Fine-tuning a tiny network that reads passages, and how it is stored."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Cue, Narration
from saffa.encoders.narrated.passages import PassageReader, enclosed, piece_tokenizer
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.passages.contrast import ContrastSettings, attraction
from saffa.research.training.passages.folds import PUBLISHED_VOCABULARY, PUBLISHED_WEIGHTS, train_folds
from saffa.research.training.passages.network import PUBLISHED, Rounded, published_network
from saffa.research.training.passages.pieces import chosen_pieces
from saffa.storage.models import ModelFolder

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{x}" for x in LETTERS), "onion", "rare", "the", "oil"]
WIDTH, INNER, LAYERS = 64, 128, 3
SAID = ("hello the channel", "chop the onion now", "a story of youth", "fry the onion in oil", "thanks and goodbye")
VIDEO = BenchmarkVideo(
    "one",
    1000,
    Fraction(10),
    Document(("Chop onion.", "Fry in oil.")),
    Narration(tuple(Cue(Fraction(20 * k), Fraction(20 * k + 20), text) for k, text in enumerate(SAID))),
    ((200, 400), (600, 800)),
)
VIDEOS = [VIDEO, replace(VIDEO, id="two", document=Document(("Story of youth.", "Goodbye.")))]
QUICK = ContrastSettings(epochs=2, rate=1e-3, batch=1)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network as it is published, with random weights."""
    folder = tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    sizes = {"widened": (INNER, WIDTH), "narrowed": (WIDTH, INNER)}
    stored = {
        "embeddings.word_embeddings.weight": torch.randn(len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": 0.1 * torch.randn(80, WIDTH),
        "embeddings.token_type_embeddings.weight": 0.1 * torch.randn(2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        for name, published in PUBLISHED.items():
            full = f"encoder.layer.{number}.{published}"
            if "norm" in name:
                norms.append(full)
                continue
            size = sizes.get(name, (WIDTH, WIDTH))
            stored[f"{full}.weight"] = 0.1 * torch.randn(size)
            stored[f"{full}.bias"] = 0.1 * torch.randn(size[0])
    for norm in norms:
        stored[f"{norm}.weight"], stored[f"{norm}.bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    save_file(stored, folder / PUBLISHED_WEIGHTS)
    (folder / PUBLISHED_VOCABULARY).write_text("\n".join(PIECES) + "\n", "utf-8")
    return folder


def test_rounded_weights_are_within_half_a_step_and_stay_when_rounded_again() -> None:
    weights = torch.randn(8, 128)
    once = Rounded.of(weights).like(weights)
    step = weights.reshape(-1, 64).abs().amax(1) / 7
    assert bool(((once - weights).abs().reshape(-1, 64) <= 0.51 * step[:, None]).all())
    torch.testing.assert_close(Rounded.of(once).like(once), once)
    assert len(np.unique(once.numpy())) <= 15 * 16


def test_pieces_are_those_of_the_texts_then_the_frequent_ones() -> None:
    pieces = chosen_pieces(PIECES, [VIDEO], 4 + 52 + 3)
    assert pieces[:4] == PIECES[:4] and set(pieces) >= {*LETTERS, "onion", "oil", "the"}
    assert "rare" not in pieces


def test_attraction_is_least_where_right_ones_are_near() -> None:
    inside = torch.tensor([[True, False, False]])
    unclear = torch.tensor([[False, False, True]])
    near, far = torch.tensor([[9.0, 0, 50]]), torch.tensor([[0.0, 9, 50]])
    others = torch.zeros(1, 4)
    assert attraction(near, inside, unclear, others) < 0.1
    assert attraction(far, inside, unclear, others) > 8
    assert attraction(near, torch.zeros_like(inside), unclear, others) == 0


def test_folds_learn_apart_and_are_averaged(base: Path, tmp_path: Path) -> None:
    shares: list[float] = []
    networks = train_folds(VIDEOS, base, tmp_path / "whole", QUICK, lambda _, share: shares.append(share))
    assert shares[-1] == 1.0
    folders = [ModelFolder.open(tmp_path / "whole" / part) for part in ("even", "odd", "mean")]
    assert networks.final.path == folders[-1].path and networks.facts["epochs"] == 2
    states = [torch.load(tmp_path / "whole" / f"{part}.pt", weights_only=True) for part in ("even", "odd")]
    first = {**states[0], "shape": {**states[0]["shape"], "settings": str(replace(QUICK, seed=1))}}
    torch.save(first, tmp_path / "whole" / "even.pt")
    with pytest.raises(InputError, match="other settings"):
        train_folds(VIDEOS, base, tmp_path / "whole", QUICK, lambda *_: None)
    text = [[5, 6, 7]]
    vectors = [PassageReader.open(folder).vectors([enclosed(row) for row in text]) for folder in folders]
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-3
    assert float((vectors[2] * vectors[0]).sum()) > float((vectors[0] * vectors[1]).sum()) - 1e-3


def test_a_stopped_run_learns_the_same(base: Path, tmp_path: Path) -> None:
    def stop(_: str, share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_folds(VIDEOS, base, tmp_path / "begun", QUICK, stop)
    train_folds(VIDEOS, base, tmp_path / "begun", QUICK, lambda *_: None)
    train_folds(VIDEOS, base, tmp_path / "whole", QUICK, lambda *_: None)
    ends = [torch.load(tmp_path / run / "even.pt", weights_only=True)["network"] for run in ("begun", "whole")]
    for name, weights in ends[0].items():
        torch.testing.assert_close(weights, ends[1][name], msg=name)


def test_the_graph_gives_what_the_network_gives(base: Path, tmp_path: Path) -> None:
    train_folds(VIDEOS, base, tmp_path / "run", QUICK, lambda *_: None)
    folder = ModelFolder.open(tmp_path / "run" / "even")
    reader = PassageReader.open(folder)
    pieces = [str(piece) for piece in folder.words()]
    network = published_network(base / PUBLISHED_WEIGHTS, [PIECES.index(piece) for piece in pieces]).eval()
    network.load_state_dict(torch.load(tmp_path / "run" / "even.pt", weights_only=True)["network"])
    rows = [enclosed(row) for row in reader.numbers(["chop the onion", "fry", "a long story of the youth in oil"])]
    with torch.no_grad():
        wanted = network.read(rows).numpy()
    assert (wanted * reader.vectors(rows)).sum(1).min() > 0.995
    assert piece_tokenizer(pieces).get_vocab_size() == len(pieces)


def test_learning_moves_sentences_to_their_passages(base: Path, tmp_path: Path) -> None:
    def right(epochs: int) -> float:
        settings = replace(QUICK, epochs=epochs)
        networks = train_folds([VIDEO] * 4, base, tmp_path / str(epochs), settings, lambda *_: None)
        reader = PassageReader.open(networks.final)
        texts = ["chop the onion now", "fry the onion in oil", *VIDEO.document.sentences]
        vectors = reader.vectors([enclosed(row) for row in reader.numbers(texts)])
        cosines = vectors[:2] @ vectors[2:].T
        return float(np.trace(cosines) - np.trace(cosines[::-1]))

    assert right(30) > right(1)
