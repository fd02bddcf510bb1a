"""The text as the API takes it."""

from pathlib import Path
from typing import Any

import pytest

from saffa.api import read_document
from saffa.core.document import Document
from saffa.core.errors import InputError


def test_every_form(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Boil water.\nDrink it.\n", "utf-8")
    same = Document(("Boil water.", "Drink it."))
    for text in (same, same.sentences, list(same.sentences), tmp_path / "t.txt", str(tmp_path / "t.txt")):
        assert read_document(text) == same


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no name"),
        (" ", "has no name"),
        (5, "must be a file, a list of sentences or a Document, not 5"),
        (None, "must be a file"),
        ("Pour the batter. Flip it.", "in Python: give a list of sentences"),
        ([], "no sentences"),
    ],
)
def test_what_is_no_text(text: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_document(text)


def test_a_page_gives_its_steps_unless_everything_is_asked_for() -> None:
    steps = "".join(f"<li>Stir the pot {word}.</li>" for word in ("once", "twice", "again"))
    page = f"<html><body><p>I love soup since I was small.</p><h2>Instructions</h2><ol>{steps}</ol></body></html>"
    chosen = Document.from_bytes(page.encode(), ".html")
    assert chosen.sentences == ("Stir the pot once.", "Stir the pot twice.", "Stir the pot again.")
    assert "I love soup since I was small." in Document.from_bytes(page.encode(), ".html", part="all").sentences
