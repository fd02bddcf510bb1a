"""The page of a batch: nothing from outside is taken for HTML, nothing outside is needed."""

import re

from saffa.scale.page import page
from saffa.scale.results import Outcome


def test_names_and_reasons_are_escaped_and_nothing_is_fetched() -> None:
    evil = "<script>alert(1)</script>&.mp4"
    text = page(
        [
            Outcome(evil, "t", "out/x.mp4", "failed", "no & <b>never</b>", 1.0, attempts=2),
            Outcome("a.mp4", "t", "out/<i>.mp4", "done", "", 2.5, 1000, 8.0, 0.05, "k", 300.0, 1, ("<u>odd</u>",)),
            Outcome("b.mp4", "t", "out/b.mp4", "skipped", key="k"),
        ]
    )
    assert "1 done, 1 done before, 1 failed" in text
    for raw in ("<script>alert", "<b>never", "<i>.mp4", "<u>odd"):
        assert raw not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;.mp4" in text
    assert "no &amp; &lt;b&gt;never&lt;/b&gt;" in text
    assert "does not seem to fit 1 of them" in text
    assert len(re.findall(r'<img alt="[^"]+" src="data:image/svg\+xml;base64,', text)) == 2
    assert not re.search(r"(src|href)=\"?(https?:|//)", text)


def test_a_batch_in_which_nothing_was_done_has_no_plots() -> None:
    assert "<img" not in page([Outcome("b.mp4", "t", "out/b.mp4", "skipped", key="k")])
