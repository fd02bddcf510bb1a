"""XML files: elements from plain values."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from saffa.export.edit import clean


def add(parent: Element, tag: str, text: str | int | None = None, **attributes: str | int) -> Element:
    """A new last child; attributes with a hyphen are written with an underscore."""
    named = {key.replace("_", "-"): clean(str(value)) for key, value in attributes.items()}
    child = SubElement(parent, tag, named)
    if text is not None:
        child.text = clean(str(text))
    return child


def document(root: Element, doctype: str) -> str:
    """The whole file, indented."""
    indent(root, "  ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE {doctype}>\n{tostring(root, encoding="unicode")}\n'
