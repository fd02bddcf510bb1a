"""Documents in the shapes that people have, with the steps a person would name."""

import json
from pathlib import Path

import pytest

from saffa.core.document import Document

FOLDER = Path(__file__).parent / "people"
READ: dict[str, list[str | list[str]]] = json.loads((FOLDER / "steps.json").read_text("utf-8"))
STEPS = {
    name: [s for step in steps for s in ([step] if isinstance(step, str) else step)] for name, steps in READ.items()
}
"""For each document the sentences of its steps; in the file, a step of several sentences is a list of them."""
ONLY_MARKDOWN = {
    *("yaml_only.md", "jekyll_recipe.md"),  # the steps stand in the front matter
    *("cooklang_like.md", "divided_by_rules.md"),  # nothing tells that these are Markdown
}
TALK_AROUND = {
    "eight_everyday_08_apple_notes.txt": "a line below the steps that nothing marks as a remark",
    "eight_odd_62_teams_message.txt": "why the message was written, in a line like any other",
    "eight_odd_66_prose_letter.txt": "a letter in which nothing tells the steps from the rest",
    "eight_odd_76_dated_diary_steps.md": "how it went, in a paragraph like any other",
    "ten_06_medium_howto.html": "names of subjects below the last step",
    "eleven_03_mum_email.txt": "a line to the reader below the steps",
    "nine_12_cuisine_blog.html": "a name below the steps",
}
"""Documents of which all steps are read, and more than them."""


def test_the_set_is_whole() -> None:
    assert {path.name for path in FOLDER.iterdir()} - {"steps.json"} == set(STEPS)
    assert len(STEPS) >= 40


@pytest.mark.parametrize("name", [name for name in STEPS if name not in TALK_AROUND])
def test_steps(name: str) -> None:
    assert list(Document.from_file(FOLDER / name).sentences) == STEPS[name]


@pytest.mark.parametrize("name", TALK_AROUND)
def test_steps_among_talk(name: str) -> None:
    read = Document.from_file(FOLDER / name).sentences
    assert [sentence for sentence in read if sentence in STEPS[name]] == STEPS[name]
    assert len(read) <= 2 * len(STEPS[name])


@pytest.mark.parametrize(
    "name", [name for name in STEPS if name.endswith(".md") and name not in {*ONLY_MARKDOWN, *TALK_AROUND}]
)
def test_markdown_saved_as_text(name: str) -> None:
    assert list(Document.from_bytes((FOLDER / name).read_bytes(), ".txt").sentences) == STEPS[name]


@pytest.mark.parametrize("name", [name for name in STEPS if name.endswith((".md", ".txt"))])
def test_everything_holds_at_least_the_steps(name: str) -> None:
    everything = " ".join(Document.from_file(FOLDER / name, part="all").sentences)
    steps = [step for step in STEPS[name] if name not in ("yaml_only.md", "jekyll_recipe.md")]
    assert [step for step in steps if step not in everything] == []


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("plain_steps.txt", ""),
        ("bullets_only.md", ""),
        ("plain_recipe.txt", "4 steps from 'METHOD'; left out: 1 paragraph, 4 ingredients, 1 tip"),
        ("spanish_tortilla.md", "4 steps from 'Elaboración'; left out: 4 ingredients, 1 tip"),
        ("what_you_need.md", "4 steps from 'How to make it'; left out: 4 needed things, 2 list items"),
        ("two_lists_no_headings.md", "3 steps from the numbered list; left out: 4 ingredients"),
        ("toml_front_matter.md", "4 steps from 'So geht's'; left out: 3 ingredients, 2 comments"),
        ("checkboxes.md", "5 steps from the list; left out: 4 needed things"),
        ("scrub_off_the_rust.txt", "4 steps from the chapters; left out: 1 paragraph, 4 needed things"),
        ("paprika.json", ""),
        ("crush_the_spices.json", "3 steps from 'directions'; left out: 1 ingredient"),
        ("lasagne.docx", "4 steps (5 sentences) from 'So geht’s'; left out: 3 ingredients"),
        ("firstaid_page.txt", "5 steps from the lines below the title; left out: 1 title, 1 paragraph"),
        ("microdata.html", "from the page's recipe data of 'Banana bread'; left out: 2 ingredients and the rest"),
    ],
)
def test_what_is_said(name: str, note: str) -> None:
    said = Document.from_file(FOLDER / name).note
    assert note in said
    assert bool(said) == bool(note)
    assert not said or "`--text-part all` takes everything" in said
