"""The most informative sentences of what is said, as a text to follow: the paper's experiment with speech."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.texts.sentences import split_sentences
from saffa.core.video import Cue

_FEWEST, _MOST = 5, 20
_SECONDS_EACH = 30.0
_SHORTEST = 4  # words of a sentence that can tell something
_NEWS = 0.5  # weight that a word keeps after it was used


def informative(cues: Sequence[Cue], seconds: float) -> Document:
    """Five to twenty sentences, one for each half minute, in the order they are said.

    Each next one has the highest mean weight of words; a word weighs more the oftener it is said, less the more
    sentences have it, and less again once a chosen sentence has it, so that they do not repeat each other.
    """
    sentences = [s for s in split_sentences(" ".join(cue.text for cue in cues)) if len(s.split()) >= _SHORTEST]
    if not sentences:
        raise InputError(
            "Nothing is said in this video that could be followed. Give a text with --text FILE or --step."
        )
    tokens = [_tokens(sentence) for sentence in sentences]
    counts = Counter(token for line in tokens for token in line)
    holders = Counter(token for line in tokens for token in set(line))
    weight = {token: counts[token] ** 0.5 * log(1 + len(sentences) / holders[token]) for token in counts}
    wanted = min(len(sentences), _MOST, max(_FEWEST, round(seconds / _SECONDS_EACH)))
    chosen: set[int] = set()
    while len(chosen) < wanted:
        best = max(
            (place for place in range(len(sentences)) if place not in chosen),
            key=lambda place: sum(weight[t] for t in tokens[place]) / (3 + len(tokens[place])),
        )
        chosen.add(best)
        weight |= {token: weight[token] * _NEWS for token in tokens[best]}
    return Document(
        tuple(sentences[place] for place in sorted(chosen)), f"the text is {len(chosen)} sentences of the narration"
    )


def _tokens(sentence: str) -> list[str]:
    words = (word.strip(".,!?;:\"'()").lower() for word in sentence.split())
    return [word for word in words if len(word) > 3]
