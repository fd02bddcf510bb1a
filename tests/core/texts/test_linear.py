"""Reading takes time proportional to the size, also for texts made to be slow. Ratios are compared, not times."""

from contextlib import suppress
from time import process_time

import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.texts.sentences import without_markup
from saffa.media.subtitles.lines import plain

PATTERNS = (
    "A. ", "[", "![", "_a ", "{", "**a ", "`", "<", "- a\n", "1. a\n", "## Method\n\n1. a b\n\n", "- 1 g salt\n", "a: ",
    "[a](", "|a|b\n", "<div>", "<li>a", "<a b ", "<!--", "Step 1\n", "> ", ". \"", "# a\n\n", "&", "data:",
    "1;a b\n", "a;\"b\n", "1.1 a\n", "1.1.1 a\n1.1.2 a\n", "Ab: c\n", "R1: a\n", "a [1].[1]", "#+a: b\n* c\n",
)  # fmt: skip
SMALL, FACTOR = 1_500, 8


def seconds(text: str, suffix: str) -> float:
    start = process_time()
    with suppress(InputError):
        Document.from_bytes(text.encode(), suffix)
    return process_time() - start


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".srt"])
@pytest.mark.parametrize("pattern", [*PATTERNS, "spaces"])
def test_eight_times_the_text_takes_no_more_than_its_share(pattern: str, suffix: str) -> None:
    def made(times: int) -> str:
        body = "# a" + " " * times + "b" if pattern == "spaces" else pattern * times
        head = "1\n00:00:01,000 --> 00:00:02,000\n" if suffix == ".srt" else ""
        return head + (body.replace("\n\n", "\n") if head else body) + "\n"

    small = min(seconds(made(SMALL), suffix) for _ in range(2))
    large = seconds(made(SMALL * FACTOR), suffix)
    # A square would be 64 times. 30 ms are lost in the noise of the machine.
    assert large < 3 * FACTOR * max(small, 0.03)


@pytest.mark.parametrize("pattern", ["[", "![", "_a ", "**", "`", "<", "[a](", "{", "<a "])
def test_markup_of_one_line(pattern: str) -> None:
    def spent(times: int) -> float:
        start = process_time()
        without_markup(pattern * times)
        plain(pattern * times)
        return process_time() - start

    assert spent(200_000) < 3 * 10 * max(spent(20_000), 0.03)


def test_a_page_with_thousands_of_attributes() -> None:
    def page(count: int) -> str:
        return "<p " + " ".join(f"a{n}=1" for n in range(count)) + ">Boil the water.</p>"

    assert seconds(page(32_000), ".html") < 3 * 8 * max(seconds(page(4_000), ".html"), 0.03)
    assert Document.from_bytes(page(32_000).encode(), ".html").sentences == ("Boil the water.",)
