"""What a request takes where nobody chose."""

import pytest

import saffa
from saffa.core.document import Document
from saffa.encoders.registry import load_encoder
from saffa.methods.registry import methods
from saffa.pipeline.request import Request
from saffa.sample import RECIPE, VIDEO


@pytest.mark.parametrize(
    ("method", "encoder", "taken"),
    [
        ("plan", "auto", "auto"),
        ("saffa", "auto", "auto"),
        ("sff-rl", "auto", "narrated"),
        ("saffa-published", "auto", "narrated"),
        ("sff-rl", "visual", "visual"),
    ],
)
def test_agents_of_the_papers_get_an_encoder_that_they_read(method: str, encoder: str, taken: str) -> None:
    request = Request(VIDEO, Document(("Boil water.",)), method=method, encoder=encoder)
    assert request.encoder_to_take() == taken


def test_objects_are_left_as_they_are() -> None:
    encoder = load_encoder("none")
    assert Request(VIDEO, Document(("Boil water.",)), method="sff-rl", encoder=encoder).encoder_to_take() is encoder


def test_a_published_agent_runs_on_a_file_with_subtitles() -> None:
    result = saffa.accelerate(VIDEO, RECIPE, speed=8, method="sff-rl")
    assert result.alignment.encoder == "narrated"


def test_every_method_says_what_auto_means_for_it() -> None:
    assert {method.auto_encoder for method in methods().values()} == {"auto", "narrated"}
