"""Steps given as JSON: a list of sentences, an object with such a list, or schema.org recipe data."""

from __future__ import annotations

import json
from collections.abc import Iterable

from saffa.core.errors import InputError
from saffa.core.texts.plain import plain_blocks
from saffa.core.texts.recipe_data import find_recipe
from saffa.core.texts.sentences import one_line
from saffa.core.texts.steps import choose_if_sure

_KEYS = ("sentences", "steps", "document", "instructions", "recipeInstructions", "text")


def json_sentences(text: str, name: str) -> Iterable[str]:
    """The sentences, in order."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is not valid JSON (line {error.lineno}: {error.msg}).") from None
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to hold a list of sentences.") from None
    held = data
    if isinstance(data, dict):
        held = next((data[key] for key in _KEYS if key in data), data)
    if isinstance(held, str):
        return choose_if_sure(plain_blocks(held)).sentences
    if isinstance(held, list):
        texts = [item.get("text", item.get("sentence")) if isinstance(item, dict) else item for item in held]
        strings = [t for t in texts if isinstance(t, str)]
        if strings and len(strings) == len(texts):
            return [one_line(t) for t in strings if t.strip()]
    recipe = find_recipe([data])
    if recipe is None:
        raise InputError(f'{name} must hold a list of sentences, or an object with "sentences" or "steps".')
    return recipe.steps
