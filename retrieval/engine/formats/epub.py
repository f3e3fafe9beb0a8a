"""EPUB: its pages in the order of the spine, each read as HTML."""

import posixpath
from urllib.parse import unquote

from common.errors import BadInput
from retrieval.engine.formats import html
from retrieval.engine.formats.archive import Archive
from retrieval.engine.formats.blocks import Block
from retrieval.engine.formats.encodings import charset, decode
from retrieval.engine.formats.trees import Element, attribute, local, xml

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read(archive: Archive) -> list[Block]:
    """Return the paragraphs of an EPUB's pages; its navigation is left out.

    Raises:
        BadInput: it is protected, or a part that it names is missing.
    """
    folder, package = _package(archive)
    items = {each.get("id"): each for each in package.iter("{*}item")}
    wanted = [items.get(each.get("idref")) for each in package.iter("{*}itemref")]
    pages = [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in wanted
        if item is not None
        and item.get("media-type") in _PAGES
        and "nav" not in attribute(item, "properties").split()
    ]
    if not pages:
        raise BadInput(f"{archive.name} names no page to read; it is no EPUB that a reader could open.")
    _refuse_protected(archive, pages)
    return [block for page in dict.fromkeys(pages) for block in _page(archive, page)]


def _package(archive: Archive) -> tuple[str, Element]:
    container = xml(archive.read(_CONTAINER), f"{archive.name}, {_CONTAINER}")
    path = next((each.get("full-path", "") for each in container.iter("{*}rootfile")), "")
    if not path:
        raise BadInput(
            f"{archive.name}, {_CONTAINER} names no package; it is no EPUB that a reader could open."
        )
    return posixpath.dirname(path), xml(archive.read(path), f"{archive.name}, {path}")


def _refuse_protected(archive: Archive, pages: list[str]) -> None:
    """Fonts may be scrambled; where a page is, nobody reads it without a key."""
    if _ENCRYPTION not in archive.names:
        return
    root = xml(archive.read(_ENCRYPTION), f"{archive.name}, {_ENCRYPTION}")
    hidden = {unquote(attribute_uri) for each in root.iter() if (attribute_uri := _uri(each))}
    if hidden & set(pages):
        raise BadInput(
            f"{archive.name} is protected (DRM), so its text cannot be read; take an edition without."
        )


def _uri(element: Element) -> str:
    return str(element.get("URI", "")) if local(element) == "cipherreference" else ""


def _page(archive: Archive, page: str) -> list[Block]:
    name, data = f"{archive.name}, {page}", archive.read(page)
    # A page without anything, a blank leaf, is no fault of the book.
    return html.read(decode(data, name, said=charset(data), guess=True).text, name) if data.strip() else []
