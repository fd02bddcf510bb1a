"""Saved web pages: the recipe data that a page carries for search engines, else its own headings and lists.

Read with lxml, whose parser keeps to a bounded depth and a time proportional to the page. Own reading of JSON-LD and
microdata on top of it, because `recipe-scrapers` and `extruct` bring fifteen packages, RDF among them, for the same.
"""

from __future__ import annotations

import email
import email.policy
import json
import re
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml.etree import LxmlError
from lxml.html import HtmlElement

from saffa.core.document import decode_text
from saffa.core.errors import InputError
from saffa.core.texts.page_blocks import page_blocks, words_of
from saffa.core.texts.recipe_data import RecipeData, find_recipe, from_texts
from saffa.core.texts.steps import EVERYTHING, RUNNING_TEXT, Choice, all_of, choose, counted

_STATED = re.compile(rb"<meta[^<>]{0,200}charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]*)\s[^<>]{4000,}")
_KEPT_ATTRIBUTE = re.compile(r"\s((?:class|id|itemprop|itemtype|property|typeof|type|role)=(?:\"[^\"<>]*\"|'[^'<>]*'))")
_JUNK = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>|//\s*<!\[CDATA\[|//\s*\]\]>")
_TRAILING_COMMA = re.compile(r",(?=\s{0,100}[}\]])")
_MAX_DATA = 8 * 2**20


def page_choice(data: bytes, name: str, *, everything: bool = False, archive: bool = False) -> Choice:
    """The steps of a page, from its recipe data if it has any; InputError if it holds no words at all."""
    root = _parsed(_page_of_archive(data, name) if archive else data, name)
    recipe = None if everything else find_recipe(_linked_data(root)) or _marked_up(root)
    if recipe is not None:
        return Choice(recipe.steps, _note(recipe))
    blocks = list(page_blocks(root))
    choice = all_of(blocks) if everything else choose(blocks)
    if not choice.sentences:
        raise InputError(
            f"{name} is a web page without words in it. Save the whole page, or copy the steps into a txt."
        )
    listed = any(block.kind in ("item", "row") and block.text in choice.sentences for block in blocks)
    recipe_like = choice.note and (RUNNING_TEXT not in choice.note or "ingredient" in choice.note)
    if everything or listed or recipe_like:
        return choice
    count = counted(len(choice.sentences), "sentence")
    return Choice(choice.sentences, f"no recipe and no list of steps on the page: {count} of its text taken")


def _note(recipe: RecipeData) -> str:
    """One line about where the steps come from."""
    named = f" of '{recipe.name}'" if recipe.name else ""
    counts = ((recipe.ingredients, "ingredient"), (recipe.tools, "needed thing"), (recipe.tips, "tip"))
    left_out = ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in counts if count)
    steps = counted(recipe.count, "step")
    steps += f" ({len(recipe.steps)} sentences)" if len(recipe.steps) != recipe.count else ""
    rest = f"{left_out} and the rest of the page" if left_out else "the rest of the page"
    return f"{steps} from the page's recipe data{named}; left out: {rest} ({EVERYTHING})"


def _parsed(data: bytes, name: str) -> HtmlElement:
    text = _LONG_TAG.sub(_shorter_tag, _decoded(data, name).replace("\x00", ""))
    text = re.sub(r"^\s*<\?xml[^<>]*\?>", "", text)  # lxml refuses a text with an encoding of its own
    try:
        return lxml.html.document_fromstring(text, parser=lxml.html.HTMLParser(huge_tree=False))
    except (LxmlError, ValueError):
        raise InputError(f"{name} is not a readable web page.") from None


def _shorter_tag(tag: re.Match[str]) -> str:
    """A tag with thousands of attributes costs the square of their number; the few that matter here are kept."""
    return f"<{tag[1]}{' '.join(['', *_KEPT_ATTRIBUTE.findall(tag[0][:20_000])])} "


def _decoded(data: bytes, name: str) -> str:
    stated = _STATED.search(data[:8192])
    if stated and stated[1].lower() not in (b"utf-8", b"utf8"):
        try:
            return data.decode(stated[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data, name)


def _page_of_archive(data: bytes, name: str) -> bytes:
    """The page inside an MHTML file, as browsers save pages with their pictures."""
    for part in email.message_from_bytes(data, policy=email.policy.default).walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = part.get_payload(decode=True)
            if isinstance(content, bytes) and content:
                return content
    raise InputError(f"{name} holds no web page. Save it from the browser as a web page or as a PDF.")


def _linked_data(root: HtmlElement) -> Iterator[Any]:
    """Parsed JSON-LD of the page; scripts that cannot be parsed are passed over."""
    for script in root.iter("script"):
        text = (script.text or "")[: _MAX_DATA + 1]
        if "ld+json" not in (script.get("type") or "").lower() or len(text) > _MAX_DATA:
            continue
        for attempt in (text, _TRAILING_COMMA.sub("", _JUNK.sub("", text)).strip().rstrip(";")):
            try:
                yield json.loads(attempt, strict=False)
                break
            except (ValueError, RecursionError):
                continue


def _marked_up(root: HtmlElement) -> RecipeData | None:
    """A recipe marked by attributes: microdata and RDFa, or the older microformat."""
    marked = [
        element
        for element in root.iter()
        if isinstance(element.tag, str) and _property(element) in ("recipeInstructions", "instructions", "step")
    ]
    outer = [element for element in marked if not any(_property(a) in _STEPS for a in element.iterancestors())]
    texts = [text for element in outer for text in _element_texts(element)]
    ingredients = sum(
        _property(e) in ("recipeIngredient", "ingredients") for e in root.iter() if isinstance(e.tag, str)
    )
    return from_texts(_name(root), texts, ingredients)


_STEPS = ("recipeInstructions", "instructions", "step")


def _property(element: HtmlElement) -> str:
    """The schema.org name an element is marked with, or ''."""
    stated = (element.get("itemprop") or element.get("property") or "").split(":")[-1].strip()
    if stated:
        return stated.split()[0]
    classes = (element.get("class") or "").split()
    if "e-instructions" in classes or "instructions" in classes:  # the microformats h-recipe and hRecipe
        return "instructions" if _is_microformat(element) else ""
    return "ingredients" if "p-ingredient" in classes or "ingredient" in classes else ""


def _is_microformat(element: HtmlElement) -> bool:
    classes = (set((above.get("class") or "").split()) for above in element.iterancestors())
    return any({"h-recipe", "hrecipe"} & names for names in classes)


def _element_texts(element: HtmlElement) -> Iterator[str]:
    """One text for each step inside a marked element."""
    if element.tag == "meta":
        yield element.get("content") or ""
        return
    texts = [words_of(one) for one in element.iter() if isinstance(one.tag, str) and _property(one) == "text"]
    if not texts:
        inner = [e for e in element.iter("li") if not any(True for _ in e.iter("li") if _ is not e)]
        inner = inner or list(element.iter("p"))
        texts = [words_of(one) for one in inner]
    yield from texts or [words_of(element)]


def _name(root: HtmlElement) -> str:
    for element in root.iter("h1", "h2"):
        if _property(element) in ("name", "headline"):
            return words_of(element)
    return ""
