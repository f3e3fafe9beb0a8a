"""HTML, as Project Gutenberg and others make it, and the pages of an EPUB."""

import re

from retrieval.engine.formats.blocks import Block
from retrieval.engine.formats.trees import Element, attribute, html
from retrieval.engine.formats.walking import Walker
from retrieval.engine.text.layout import CONTENTS, HEADING, ILLUSTRATION, NOTE
from retrieval.engine.text.unwrapping import paragraphs

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = _HEADINGS | {
    "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "blockquote", "table", "tr", "td", "th",
    "caption", "section", "article", "main", "center", "hr", "header", "footer", "address", "body",
    "figure", "figcaption", "aside", "pre",
}  # fmt: skip
_NO_TEXT = {
    "head", "script", "style", "nav", "noscript", "svg", "math", "template", "form", "iframe",
    "object", "audio", "video", "select", "button", "img",
}  # fmt: skip
_ITALICS = {"i", "em", "cite"}
_PAGES = re.compile(r"(?<![\w-])(?:pagenum|pageno|page-?number|pb|pagebreak|doc-pagebreak|newpage)(?![\w-])")
_FRAME = re.compile(r"pg-boilerplate|pg-header|pg-footer|pgheader|pgfooter")
_NOTES = re.compile(r"(?<![\w-])(?:foot|end|rear)notes?(?![\w-])|doc-(?:foot|end)note(?![\w-])")
_STANZA = re.compile(r"(?<![\w-])(?:stanza|linegroup|lg|verse-?group)(?![\w-])")
_POEM = re.compile(r"(?<![\w-])(?:poem|poetry|verse)(?![\w-])")
_TOC = re.compile(r"(?<![\w-])(?:toc|contents|tableofcontents|doc-toc)(?![\w-])")
# Old pages number quotation marks and dashes as Windows-1252 does, and browsers take it so.
_WINDOWS = re.compile(r"&#(1[2-5]\d);(?<!&#12[0-7];)")
_TRANSCRIBER = re.compile(r"transnote|tnote|transcriber")
_PICTURE = re.compile(r"(?<![\w-])(?:caption|figcaption|illustration)(?![\w-])")


def read(text: str, name: str) -> list[Block]:
    """Return the paragraphs of an HTML page; ``h1`` to ``h6`` are headings, ``br`` and stanzas keep lines.

    Scripts, navigation and the numbers of pages are left out; footnotes stand behind the paragraph before
    them.

    Raises:
        BadInput: it is no HTML.
    """
    return _HtmlWalker().blocks(html(_WINDOWS.sub(_letter, text), name))


def _letter(found: re.Match[str]) -> str:
    return bytes([int(found[1])]).decode("windows-1252", "replace")


class _HtmlWalker(Walker):
    def __init__(self) -> None:
        super().__init__()
        self._verse: list[Element] = []
        self._parts: list[Element] = []
        self._notes: list[Element] = []

    def start(self, name: str, element: Element) -> bool:
        about = attribute(element, "class", "id", "role", "type")
        if name in _NO_TEXT or _PAGES.search(about) or _FRAME.search(about):
            return False
        if name == "pre":
            self._preformatted(element)
            return False
        if name == "br":
            self.builder.line()
        elif name in _ITALICS:
            self.builder.italics()
        if _NOTES.search(attribute(element, "class", "role", "type")) and name in {"div", "aside", "p", "li"}:
            self._open_note(element)
        elif name in _BLOCKS:
            self._begin(name, element, about)
        return True

    def end(self, name: str, element: Element) -> None:
        if name in _ITALICS:
            self.builder.roman()
        if self._notes and element is self._notes[-1]:
            self._notes.pop()
            self.builder.close_note()
            return
        if name in _BLOCKS:
            if self._verse and element is not self._verse[-1]:
                self.builder.line()
            else:
                self.close(HEADING if name in _HEADINGS else "")
        if self._verse and element is self._verse[-1]:
            self._verse.pop()
        if self._parts and element is self._parts[-1]:
            self._parts.pop()
            self.leave()

    def _begin(self, name: str, element: Element, about: str) -> None:
        if self._verse:
            self.builder.line()
            return
        self.close()
        kind = _kind_of_part(name, about)
        if kind and not self._parts:
            self._parts.append(element)
            self.enter(kind)
        if _is_verse(element, about):
            self._verse.append(element)

    def _open_note(self, element: Element) -> None:
        # A list of notes is no note: each of its items is one.
        if self._notes or any(_is_note(child) for child in element.iterdescendants("div", "aside", "li")):
            self.close()
            return
        self._notes.append(element)
        self.close()
        self.builder.open_note()

    def _preformatted(self, element: Element) -> None:
        """A text that was laid out with spaces is read as a plain text is."""
        self.close()
        found, _ = paragraphs("".join(element.itertext()), marks_pages=True)
        for paragraph in found:
            for number, line in enumerate(paragraph.split("\n")):
                if number:
                    self.builder.line()
                self.builder.text(line)
            self.close()


def _kind_of_part(name: str, about: str) -> str:
    if _TRANSCRIBER.search(about):
        return NOTE
    if name in {"figcaption", "figure"} or _PICTURE.search(about):
        return ILLUSTRATION
    return CONTENTS if _TOC.search(about) and name not in _HEADINGS else ""


def _is_verse(element: Element, about: str) -> bool:
    if _STANZA.search(about):
        return True
    if not _POEM.search(about):
        return False
    inner = element.iterdescendants("p", "div", "br")
    return not any(each.tag == "br" or _STANZA.search(attribute(each, "class")) for each in inner)


def _is_note(element: Element) -> bool:
    return _NOTES.search(attribute(element, "class", "role", "type")) is not None
