from fractions import Fraction

import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.texts import with_texts


def video(number: int, steps: int) -> BenchmarkVideo:
    document = Document(tuple(f"Video {number} step {k}." for k in range(1, steps + 1)))
    places = tuple((100 * k, 100 * k + 50) for k in range(steps))
    return BenchmarkVideo(f"v{number}", 100 * steps, Fraction(25), document, None, places)


def test_whole_texts_are_left_alone() -> None:
    (same,) = with_texts([video(0, 3)])
    assert (same.id, same.document, same.steps) == ("v0", video(0, 3).document, video(0, 3).steps)


def test_half_scores_a_video_twice_with_its_own_steps_as_truth() -> None:
    odd, even = with_texts([video(0, 5)], "half")
    assert (odd.id, even.id) == ("v0-odd", "v0-even")
    assert odd.document.sentences == ("Video 0 step 1.", "Video 0 step 3.", "Video 0 step 5.")
    assert odd.steps == ((0, 50), (200, 250), (400, 450))
    assert even.document.sentences == ("Video 0 step 2.", "Video 0 step 4.")
    assert even.steps == ((100, 150), (300, 350))


def test_a_single_step_has_no_even_half() -> None:
    assert [v.id for v in with_texts([video(0, 1)], "half")] == ["v0-odd"]


def test_one_is_the_middle_step() -> None:
    (middle,) = with_texts([video(0, 5)], "one")
    assert middle.document.sentences == ("Video 0 step 3.",)
    assert middle.steps == ((200, 250),)


def test_wrong_texts_come_from_17_videos_further_on() -> None:
    videos = [video(number, 4) for number in range(20)]
    wrong = with_texts(videos, wrong=True)
    assert wrong[0].document == videos[17].document
    assert wrong[5].document == videos[2].document
    assert [v.steps for v in wrong] == [v.steps for v in videos]  # the truth stays


def test_a_wrong_text_is_never_the_own_one() -> None:
    videos = [video(number, 3) for number in range(17)]
    assert all(w.document != v.document for w, v in zip(with_texts(videos, wrong=True), videos, strict=True))
    with pytest.raises(InputError, match="two videos"):
        with_texts(videos[:1], wrong=True)


def test_the_wrong_half_is_the_same_half_of_the_other_text() -> None:
    videos = [video(0, 4), video(1, 1)]
    odd, even, other = with_texts(videos, "half", wrong=True)
    assert odd.document.sentences == ("Video 1 step 1.",)
    assert even.document.sentences == ("Video 1 step 1.",)  # it has no second step
    assert other.document.sentences == ("Video 0 step 1.", "Video 0 step 3.")
    assert (even.steps, other.steps) == (video(0, 4).steps[1::2], video(1, 1).steps)


def test_parts_need_a_sentence_for_each_step() -> None:
    odd = BenchmarkVideo("x", 100, Fraction(25), Document(("One.", "Two.")), None, ((0, 50),))
    with pytest.raises(InputError, match="2 sentences and 1 steps"):
        with_texts([odd], "half")
    with pytest.raises(InputError, match="whole, half, one"):
        with_texts([odd], "some")
