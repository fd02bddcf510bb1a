"""Recipes and how-tos as web pages describe them for search engines: schema.org data, from JSON-LD or microdata."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from saffa.core.texts.headings import label_of, step_number
from saffa.core.texts.lines import is_tip
from saffa.core.texts.sentences import one_line, split_counted, split_sentences

_INSTRUCTIONS = ("recipeInstructions", "step", "steps", "instructions")
_INGREDIENTS = ("recipeIngredient", "ingredients")
_TOOLS = ("supply", "tool")
_INSIDE = ("itemListElement", "steps", "step", "item")
_BREAK = re.compile(r"<(?:br|/?p|/?li|/?ol|/?ul|/?div)\b[^<>]*>|[\r\n]+", re.IGNORECASE)
_INLINE_TAG = re.compile(r"</?(?:b|i|u|em|strong|a|span|small|mark|code|font)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_DEPTH = 12
_NODES = 200_000


@dataclass(frozen=True)
class RecipeData:
    """The steps of one recipe, with the number of ingredients beside them."""

    name: str
    steps: tuple[str, ...]
    ingredients: int
    tips: int = 0
    tools: int = 0
    count: int = 0
    """Number of steps, each of which may have several sentences."""


def find_recipe(data: Iterable[Any]) -> RecipeData | None:
    """The first recipe or how-to with steps among parsed JSON-LD; None if there is none."""
    for node in _nodes(data):
        if _is_recipe(node):
            texts = [text for key in _INSTRUCTIONS for text in _texts(node.get(key), 0)]
            if texts:
                return from_texts(str(node.get("name") or ""), texts, _ingredients(node), _tools(node))
    return None


def from_texts(name: str, texts: Iterable[str], ingredients: int, tools: int = 0) -> RecipeData | None:
    """A recipe from the texts of its steps, which may hold HTML, numbers and several steps at once."""
    split = (split_sentences(line) for text in texts for line in _lines(text))
    lines = [[sentence for sentence in line if any(c.isalnum() for c in sentence)] for line in split]
    kept = [own for line in lines if (own := [sentence for sentence in line if not is_tip(sentence)])]
    steps = tuple(sentence for own in kept for sentence in own)
    tips = sum(len(line) for line in lines) - len(steps)
    count = len(kept) if len(kept) > 1 else len(steps)  # a recipe in one paragraph has a step in each sentence
    return RecipeData(one_line(html.unescape(name)), steps, ingredients, tips, tools, count) if steps else None


def _nodes(data: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Every object inside the data, outer ones first, up to a bounded number."""
    waiting = list(data)
    for _ in range(_NODES):
        if not waiting:
            return
        node = waiting.pop(0) if len(waiting) < 100 else waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            yield node
            waiting.extend(value for value in node.values() if isinstance(value, (dict, list)))


def _is_recipe(node: dict[str, Any]) -> bool:
    kinds = node.get("@type", node.get("type", ""))
    names = [
        str(kind).rsplit("/", 1)[-1].rsplit(":", 1)[-1] for kind in (kinds if isinstance(kinds, list) else [kinds])
    ]
    return "Recipe" in names or "HowTo" in names


def _ingredients(node: dict[str, Any]) -> int:
    for key in _INGREDIENTS:
        given = node.get(key)
        if isinstance(given, list):
            return len(given)
        if isinstance(given, str):
            return len(list(_lines(given)))
    return 0


def _tools(node: dict[str, Any]) -> int:
    return sum(len(given) if isinstance(given := node.get(key), list) else bool(given) for key in _TOOLS)


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Texts of the steps: strings, HowToStep, HowToSection, HowToDirection and lists of them, nested."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _DEPTH:
        for one in value:
            yield from _texts(one, depth + 1)
    elif isinstance(value, dict) and depth < _DEPTH:
        if "Tip" in str(value.get("@type", "")):
            return
        text = value.get("text") or value.get("description")
        if isinstance(text, str) and text.strip():
            yield text
            return
        inside = [text for key in _INSIDE for text in _texts(value.get(key), depth + 1)]
        yield from inside or ([value["name"]] if isinstance(value.get("name"), str) else [])


def _lines(text: str) -> Iterator[str]:
    """Lines of a text that may be HTML, without tags, entities, numbers and names of parts in front."""
    lines = (
        one_line(_TAG.sub(" ", _INLINE_TAG.sub("", line))) for line in _BREAK.split(html.unescape(html.unescape(text)))
    )
    for part in (part for line in lines for part in split_counted(line)):
        number = step_number(part)
        words = number[1] if number else part
        if words and not (words.endswith(":") and len(words.split()) <= 6) and not label_of(words):
            yield words.removeprefix("- ").removeprefix("• ")
