from fractions import Fraction

import numpy as np

from saffa.core.video import Cue, Narration
from saffa.encoders.words import unit
from saffa.methods.base import watched
from saffa.research.baselines.bot import Bot
from saffa.research.baselines.topics import FrameWords, clusters
from tests.methods.made import alignment

TALK = "welcome back to my channel everybody please subscribe and leave a comment below"
COOK = "now chop the onion and the garlic and fry them with butter in the pan"
RECIPE = ("chop an onion and some garlic", "fry with butter in a pan")


def narration() -> Narration:
    lines = [TALK, COOK, TALK, COOK]
    cues = tuple(Cue(Fraction(20 * i), Fraction(20 * i + 18), text) for i, text in enumerate(lines))
    return Narration(cues, "made")


def test_clusters_find_groups() -> None:
    random = np.random.default_rng(0)
    centres = np.eye(6)[:3]
    points = np.concatenate([c + 0.05 * random.standard_normal((20, 6)) for c in centres]).astype(np.float32)
    found = clusters(unit(points), 3).reshape(3, 20)
    assert all(len(set(group)) == 1 for group in found.tolist())
    assert len(set(found[:, 0].tolist())) == 3


def test_few_words_are_topics_of_their_own() -> None:
    assert clusters(np.eye(4, dtype=np.float32), 50).tolist() == [0, 1, 2, 3]


def test_what_is_cooked_scores_above_what_is_chatted() -> None:
    seconds = np.arange(0, 80, 1 / 30)
    scores = FrameWords.of(narration(), 80.0).scores(RECIPE, seconds)
    assert scores.shape == seconds.shape
    assert 0 <= scores.min() <= scores.max() <= 1
    talk, cook = scores[(seconds > 5) & (seconds < 13)], scores[(seconds > 25) & (seconds < 33)]
    assert cook.min() > talk.max()


def test_silence_scores_nothing() -> None:
    quiet = FrameWords.of(Narration((Cue(Fraction(0), Fraction(5), COOK),), "made"), 60.0)
    assert not quiet.scores(RECIPE, np.array([40.0, 59.0])).any()


def test_bot_reads_the_words_where_there_are_some() -> None:
    video = alignment(2400, flat=True)
    listening = watched(Bot(), video, narration())
    assert "topics" in listening.select(video, 10.0).method
    assert "relevance" in watched(Bot(), video, None).select(video, 10.0).method
