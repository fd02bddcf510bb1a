"""Steps given as JSON: a list of sentences, an object with such a list, or schema.org recipe data."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

from saffa.core.errors import InputError
from saffa.core.texts.headings import part_of
from saffa.core.texts.plain import plain_blocks
from saffa.core.texts.recipe_data import find_recipe, from_texts
from saffa.core.texts.sentences import one_line
from saffa.core.texts.steps import EVERYTHING, Choice, choose_if_sure, counted

_KEYS = ("sentences", "steps", "document", "instructions", "recipeInstructions", "chapters", "text")
_WORDS = ("text", "description", "instruction", "step", "sentence", "body", "content", "detail", "name", "title")
_PARTS = {"itemListElement", "steps", "instructions", "method"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_|-")
_NODES = 20_000


def json_choice(text: str, name: str, everything: bool = False) -> Choice:
    """The sentences, in order, and what was left out of an object; `everything` takes all its words."""
    try:
        choice = _choice(json.loads(text), everything)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is not valid JSON (line {error.lineno}: {error.msg}).") from None
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to hold a list of sentences.") from None
    if not choice.sentences:
        raise InputError(f'{name} must hold a list of sentences, or an object with "sentences" or "steps".')
    return choice


def _choice(data: Any, everything: bool) -> Choice:
    if everything:
        return Choice(tuple(words for words in _all_words(data) if any(c.isalnum() for c in words)))
    key = next((key for key in _KEYS if key in data), "") if isinstance(data, dict) else ""
    held = data[key] if key else data
    sentences = _listed(held)
    if sentences is None:
        recipe = find_recipe([data])
        sentences = recipe.steps if recipe else None
    if sentences is None:
        key, sentences = _announced(data)
    return Choice(tuple(sentences), _note(data, key, len(sentences)))


def _listed(held: Any) -> tuple[str, ...] | None:
    """The strings of a list of strings or of objects with a text, or the steps of one text; None for all else."""
    if isinstance(held, str):
        return choose_if_sure(plain_blocks(held)).sentences
    if not isinstance(held, list):
        return None
    if any(isinstance(item, dict) and _PARTS & item.keys() for item in held):
        return None  # parts with steps of their own
    texts = [_worded(item) if isinstance(item, dict) else item for item in held]
    strings = [t for t in texts if isinstance(t, str)]
    return tuple(one_line(t) for t in strings if t.strip()) if strings and len(strings) == len(texts) else None


def _worded(item: dict[str, Any]) -> str | None:
    """The text of an object that stands for a step."""
    return next((item[key] for key in _WORDS if isinstance(item.get(key), str) and item[key].strip()), None)


def _announced(data: Any) -> tuple[str, tuple[str, ...]]:
    """The first key that announces steps in plain words, such as `strInstructions`, and the texts below all of it."""
    names = (key for key, _ in _members(data) if part_of(_plain(key)) == "steps")
    for key in dict.fromkeys(names):
        recipe = from_texts("", (text for value in _below(data, key) for text in _texts(value)), 0)
        if recipe:
            return key, recipe.steps
    return "", ()


def _below(data: Any, key: str) -> Iterator[Any]:
    """Values of a key anywhere in the data, in order, but not those inside of each other."""
    if isinstance(data, dict) and key in data:
        yield data[key]
    elif isinstance(data, (dict, list)):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _below(inner, key)


def _members(data: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of all objects inside the data, outer ones first, up to a bounded number."""
    waiting = deque([data])
    for _ in range(_NODES):
        if not waiting:
            return
        node = waiting.popleft()
        if isinstance(node, dict):
            yield from node.items()
        inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        waiting += [one for one in inside if isinstance(one, (dict, list))]


def _texts(value: Any) -> Iterator[str]:
    """The texts of steps: strings, lists of them, objects with a text, objects that name parts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        words = _worded(value)
        inside = [one for one in value.values() if isinstance(one, (dict, list))]
        yield from [words] if words else _texts(inside or list(value.values()))


def _all_words(value: Any) -> Iterator[str]:
    """Every string that is no name of a type or an address."""
    if isinstance(value, str) and "://" not in value:
        yield from (one_line(line) for line in value.splitlines())
    elif isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else (("", one) for one in value)
        for key, one in pairs:
            if not str(key).startswith("@"):
                yield from _all_words(one)


def _note(data: Any, key: str, steps: int) -> str:
    """What else the object lists, beside the steps."""
    counts: Counter[str] = Counter()
    for other, value in _members(data):
        kind = {"ingredients": "ingredient", "tips": "tip"}.get(part_of(_plain(other)) or "")
        if kind and isinstance(value, list):
            counts[kind] += len(value)
    left_out = ", ".join(counted(number, kind) for kind, number in counts.items())
    where = f" from '{key}'" if key else ""
    return f"{counted(steps, 'step')}{where}; left out: {left_out} ({EVERYTHING})" if left_out else ""


def _plain(key: str) -> str:
    """`recipeIngredient` as `recipe ingredient`."""
    return _CAMEL.sub(" ", key).removeprefix("str ").lower()
