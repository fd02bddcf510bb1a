import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.document import MAX_SENTENCES, Document, split_sentences
from saffa.core.errors import InputError

RECIPE = ("Boil the water.", "Add 1.5 tsp. salt and stir.", "Cook the pasta for 9 min. at a rolling boil.")


def test_one_step_per_line() -> None:
    assert Document.from_text("boil the water\nadd salt\n\ncook the pasta\n").sentences == (
        "boil the water",
        "add salt",
        "cook the pasta",
    )


@pytest.mark.parametrize("mark", ["1. ", "1) ", "(1) ", "- ", "* ", "• ", "Step 1: ", "step 1 ", "– ", "- [ ] ", "a) "])
def test_list_marks_are_not_words(mark: str) -> None:
    marks = [mark.replace("1", str(i + 1)) for i in range(3)]
    text = "\n".join(m + s for m, s in zip(marks, ("Boil water.", "Add salt.", "Cook pasta."), strict=True))
    assert Document.from_text(text).sentences == ("Boil water.", "Add salt.", "Cook pasta.")


def test_numbers_inside_a_step_stay() -> None:
    assert Document.from_text("2 cups of flour go in\n350 degrees, 20 minutes").sentences == (
        "2 cups of flour go in",
        "350 degrees, 20 minutes",
    )


def test_paragraph_is_split_but_not_at_abbreviations_and_numbers() -> None:
    assert split_sentences(" ".join(RECIPE)) == list(RECIPE)
    assert split_sentences("Mix well! Is it thick? Then stop… Serve, e.g. With rice.") == [
        "Mix well!",
        "Is it thick?",
        "Then stop…",
        "Serve, e.g. With rice.",
    ]


def test_wrapped_prose_is_joined() -> None:
    text = (
        "Bring a large pot of salted water to the boil and add the\n"
        "pasta, stirring so that nothing sticks to the bottom of it.\n"
        "Drain it when it is still firm, keep a cup of the cooking\n"
        "water, and toss everything together in the warm pan. Serve.\n"
    )
    assert len(Document.from_text(text)) == 3


def test_markdown_headings_links_and_emphasis() -> None:
    title, steps = "# Pasta\n\nA *very* **easy** [dish](http://x.y).", "1. Boil `water`\n   in a pot\n2. Add salt"
    text = f"{title}\n\n## Steps\n{steps}\n\n---\n"
    document = Document.from_text(text, markdown=True)
    assert document.sentences == ("Boil water in a pot", "Add salt")
    assert document.note == "2 steps from 'Steps'; left out: 1 paragraph (`--text-part all` takes everything)"
    everything = Document.from_text(text, markdown=True, part="all").sentences
    assert everything == ("Pasta", "A very easy dish.", "Steps", "Boil water in a pot", "Add salt")


def test_headings_alone_are_the_steps() -> None:
    assert Document.from_text("# Peel\n# Cut\n", markdown=True).sentences == ("Peel", "Cut")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "recipe.txt"
    path.write_bytes("Crème brûlée: heat the cream\nCaramelise the sugar – carefully\n".encode(encoding))
    assert Document.from_file(path).sentences == ("Crème brûlée: heat the cream", "Caramelise the sugar – carefully")


def test_windows_and_old_mac_line_ends() -> None:
    assert len(Document.from_text("a b\r\nc d\r\ne f")) == 3
    assert len(Document.from_text("a b\rc d\re f")) == 3


def test_subtitles_join_cues_into_sentences(tmp_path: Path) -> None:
    srt = tmp_path / "a.srt"
    srt.write_text(
        "1\n00:00:01,000 --> 00:00:02,000\n<i>Boil</i> the\n\n2\n00:00:02,000 --> 00:00:03,000\nwater. Add salt.\n",
        encoding="utf-8",
    )
    assert Document.from_file(srt).sentences == ("Boil the water.", "Add salt.")
    vtt = tmp_path / "a.vtt"
    vtt.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nBoil the water.\n", encoding="utf-8")
    assert Document.from_file(vtt).sentences == ("Boil the water.",)


@pytest.mark.parametrize(
    "data",
    [
        ["Boil water.", "Add salt."],
        {"steps": ["Boil water.", "Add salt."]},
        {"sentences": [{"text": "Boil water."}, {"text": "Add salt."}]},
        {"text": "Boil water. Add salt."},
    ],
)
def test_json(tmp_path: Path, data: object) -> None:
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert Document.from_file(path).sentences == ("Boil water.", "Add salt.")


@pytest.mark.parametrize("data", ["{", "3", '{"steps": 3}', '{"other": []}', "[1, 2]", "[]"])
def test_json_of_the_wrong_form(tmp_path: Path, data: str) -> None:
    path = tmp_path / "recipe.json"
    path.write_text(data, encoding="utf-8")
    with pytest.raises(InputError, match=r"recipe\.json|no sentences"):
        Document.from_file(path)


def test_bad_files(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b" \n\t\n")
    binary = tmp_path / "binary.txt"
    binary.write_bytes(bytes(range(256)) * 16)
    for path, words in (
        (tmp_path / "none.txt", "no text file"),
        (tmp_path, "folder"),
        (empty, "empty"),
        (binary, "binary"),
    ):
        with pytest.raises(InputError, match=words):
            Document.from_file(path)
    with pytest.raises(InputError, match="no sentences"):
        Document.from_text("---\n***\n")


def test_size_limits() -> None:
    assert len(Document.from_text("stir")) == 1
    assert len(Document.from_text("\n".join(f"do thing {i}" for i in range(10_000)))) == 10_000
    with pytest.raises(InputError, match="at most 10000"):
        Document.from_text("\n".join(f"do thing {i}" for i in range(10_001)))


@settings(deadline=None)  # the first text waits for the patterns to be made
@given(st.lists(st.text(st.characters(categories=["L"]), min_size=2, max_size=12), min_size=1, max_size=30))
def test_words_are_never_lost(words: list[str]) -> None:
    document = Document.from_text("\n".join(words))
    assert "".join("".join(document.sentences).split()) == "".join("".join(words).split())


@settings(deadline=None)  # the first text waits for the patterns to be made
@given(st.binary(max_size=300))
def test_any_bytes_give_a_document_or_a_plain_error(data: bytes) -> None:
    try:
        assert len(Document.from_bytes(data)) >= 1
    except InputError as error:
        assert "\n" not in str(error)


def test_web_pages_and_pdf_are_known_by_their_first_bytes() -> None:
    page = b"<html><body><ol><li>Boil the water.</li><li>Add the salt.</li></ol></body></html>"
    for data in (page, b"<!DOCTYPE HTML>" + page, b"\xef\xbb\xbf\r\n\t " + page, b" " * 507 + page):
        assert Document.from_bytes(data).sentences == ("Boil the water.", "Add the salt.")
    late = Document.from_bytes(b" " * 508 + page)  # only the beginning of a file is looked at
    assert late.sentences == ("Boil the water.Add the salt.",)  # plain text with tags in it
    with pytest.raises(InputError, match="is damaged and cannot be read"):
        Document.from_bytes(b"%PDF-1.7 no more")
    with pytest.raises(InputError, match="Word"):
        Document.from_bytes(b"PK\x03\x04 no more", ".txt")


@pytest.mark.parametrize("suffix", [".doc", ".rtf", ".pages", ".odt", ".epub"])
def test_formats_that_cannot_be_read_are_named(suffix: str) -> None:
    with pytest.raises(InputError, match="cannot be read; save it as docx, pdf or txt"):
        Document.from_bytes(b"anything", suffix)


@pytest.mark.parametrize(
    ("data", "suffix", "sentences"),
    [
        (b"Dialogue\n", ".txt", ("Dialogue",)),
        (b'["Boil water."]', ".json", ("Boil water.",)),
        (b"# Peel\n# Cut\n", ".mdx", ("Peel", "Cut")),
        (b"<p>Boil the water. Add the salt.</p>", ".xhtml", ("Boil the water.", "Add the salt.")),
    ],
)
def test_the_ending_tells_the_format(data: bytes, suffix: str, sentences: tuple[str, ...]) -> None:
    assert Document.from_bytes(data, suffix).sentences == sentences


def test_steps_in_words_and_notes() -> None:
    assert Document.from_steps([" Boil  the\nwater ", " ", "stir"]) == Document(("Boil the water", "stir"))
    assert Document(("a",) * MAX_SENTENCES).sentences[-1] == "a"
    with pytest.raises(InputError, match="no sentences"):
        Document.from_steps([" "])
