"""XML and HTML parsed without trust: no entity is expanded, nothing else opened, no tree is endless."""

from html.entities import html5
from typing import Any

from lxml import etree

from common.errors import BadInput

Element = Any
"""lxml's own; it has no types."""


def xml(data: bytes, name: str) -> Element:
    """Return the root of an XML file.

    Raises:
        BadInput: it is not well-formed, nests too deep, or its text hangs on entities of its own.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInput(f"{name} is not well-formed XML: {getattr(error, 'msg', error)}.") from None
    for entity in list(root.iter(etree.Entity)):
        _resolve(entity, name)
    return root


def html(text: str, name: str) -> Element:
    """Return the root of an HTML page; what is not well-formed is read as browsers read it.

    Raises:
        BadInput: there is no element in it, or it nests deeper than the parser follows.
    """
    # HTML has no entities of its own to expand, so "huge" only lets a long page and unclosed tags pass.
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInput(f"{name} cannot be read as HTML: {error}.") from None
    # The parser stops there without a word, and the rest of the book would be missing.
    fatal = next((each for each in parser.error_log if each.level >= etree.ErrorLevels.FATAL), None)
    if fatal is not None:
        raise BadInput(f"{name} cannot be read as HTML: line {fatal.line}: {fatal.message}.")
    if root is None:
        raise BadInput(f"{name} holds no HTML element; a page with a text was expected.")
    return root


def local(element: Element) -> str:
    """The element's name without its namespace, in small letters; empty for what is no element.

    HTML knows no namespaces: there a name keeps its prefix (``svg:svg``, ``o:p``).
    """
    return _bare(element.tag) if isinstance(element.tag, str) else ""


def attribute(element: Element, *names: str) -> str:
    """The values of the attributes with these local names, in small letters, parted by spaces."""
    return " ".join(value.lower() for key, value in element.attrib.items() if _bare(key) in names)


def _bare(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2].lower()


def _resolve(entity: Element, name: str) -> None:
    """Put the letter in the place of an entity that HTML names; any other is refused."""
    letter = html5.get(f"{entity.name};")
    if letter is None:
        raise BadInput(
            f"{name} uses the entity &{entity.name};, which it defines itself; write the letters instead."
        )
    parent, before = entity.getparent(), entity.getprevious()
    words = letter + (entity.tail or "")
    if before is None:
        parent.text = (parent.text or "") + words
    else:
        before.tail = (before.tail or "") + words
    entity.tail = None
    parent.remove(entity)
