"""DOCX: paragraphs with their styles, and the notes that Word keeps in files of their own."""

import re
from collections.abc import Iterator

from lxml import etree

from common.errors import BadInput
from retrieval.engine.formats.archive import Archive
from retrieval.engine.formats.blocks import Block, Builder
from retrieval.engine.formats.trees import Element, attribute, local, xml
from retrieval.engine.text.layout import CONTENTS, HEADING

_DOCUMENT, _STYLES = "word/document.xml", "word/styles.xml"
_NOTES = {"footnotereference": "word/footnotes.xml", "endnotereference": "word/endnotes.xml"}
_HEADING = re.compile(r"(?:heading|title|subtitle|überschrift|titel|titre)(?: ?\d)?")
_TOC = re.compile(r"toc \d|toc heading|inhaltsverzeichnis|verzeichnis \d|table des mati[eè]res")
# What moved away stands where it went; a box is written twice, the second time for old readers.
_NO_TEXT = {"fallback", "movefrom", "del"}
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE, _ID = f"{_WORD}val", f"{_WORD}styleId"


def read(archive: Archive) -> list[Block]:
    """Return the paragraphs of a Word document: styles named *Heading* and *Title* are headings.

    A line break keeps its line, deleted text is left out, foot- and endnotes stand behind their paragraphs.

    Raises:
        BadInput: a part of the archive is missing or is no XML.
    """
    root = xml(archive.read(_DOCUMENT), f"{archive.name}, {_DOCUMENT}")
    body = next((each for each in root if local(each) == "body"), None)
    if body is None:
        raise BadInput(f"{archive.name} holds no text; save it again as DOCX or as plain text.")
    notes = {kind: _by_id(archive, file) for kind, file in _NOTES.items()}
    reader = _DocxReader(_styles(archive), notes)
    for paragraph in body.iter("{*}p"):
        # A text box stands within the paragraph it hangs on, which has read it.
        if next(paragraph.iterancestors("{*}p", "{*}Fallback"), None) is None:
            reader.paragraph(paragraph)
    return reader.builder.blocks


class _DocxReader:
    def __init__(self, styles: dict[str, str], notes: dict[str, dict[str, Element]]) -> None:
        self.builder = Builder()
        self._styles, self._notes = styles, notes
        self._numbers = 0
        self._italic = False
        self._asked: dict[Element, bool] = {}

    def paragraph(self, paragraph: Element) -> None:
        for element in _elements(paragraph):
            self._inline(local(element), element)
        self._set_italic(False)
        self.builder.close(self._kind(paragraph))

    def _kind(self, paragraph: Element) -> str:
        for each in next(paragraph.iterchildren("{*}pPr"), ()):
            name, value = local(each), each.get(_VALUE, "")
            if name == "outlinelvl" and value != "9":
                return HEADING
            if name == "pstyle" and value in self._styles:
                return self._styles[value]
        return ""

    def _inline(self, name: str, element: Element) -> None:
        if name == "t":
            self._set_italic(self._is_italic(element.getparent()))
            self.builder.text(element.text)
        elif name in ("tab", "p"):
            self.builder.text(" ")
        elif name in ("br", "cr") and attribute(element, "type") not in ("page", "column"):
            self._set_italic(False)
            self.builder.line()
        elif name == "nobreakhyphen":
            self.builder.text("-")
        elif name in self._notes:
            self._set_italic(False)
            # A note stands once: copied at every reference, a small file could become gigabytes.
            self._note(self._notes[name].pop(attribute(element, "id"), None))

    def _is_italic(self, run: Element) -> bool:
        # Asked for every text of a run: looked up once, or many would cost the square of their number.
        if run not in self._asked:
            self._asked[run] = _has_italics(run)
        return self._asked[run]

    def _set_italic(self, italic: bool) -> None:
        """Begin or end italics where the runs change: Word parts words and sentences into runs at will."""
        if italic and not self._italic:
            self.builder.italics()
        elif self._italic and not italic:
            self.builder.roman()
        self._italic = italic

    def _note(self, note: Element | None) -> None:
        if note is None:
            return
        self._numbers += 1
        self.builder.text(f"[{self._numbers}]")
        self.builder.open_note()
        self.builder.text(f"[{self._numbers}] ")
        for element in note.iter():
            if local(element) == "p":
                self.builder.text(" ")
            elif local(element) in ("t", "tab"):
                self.builder.text(element.text or " ")
        self.builder.close_note()


def _has_italics(run: Element) -> bool:
    """Whether a run's own properties say italics, not those of a text box within it."""
    for properties in run.iterchildren("{*}rPr"):
        for found in properties.iterchildren("{*}i"):
            return str(found.get(_VALUE, "1")) not in ("0", "false")
    return False


def _elements(paragraph: Element) -> Iterator[Element]:
    """What is in a paragraph, in order, without what Word keeps there and does not print."""
    walk = etree.iterwalk(paragraph, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            # The paragraphs of a text box are words of this one: a space parts them from what follows.
            if local(element) == "p" and element is not paragraph:
                yield element
        elif local(element) in _NO_TEXT:
            walk.skip_subtree()
        else:
            yield element


def _styles(archive: Archive) -> dict[str, str]:
    """What the styles stand for, by their ids. Their names are English in every language's Word."""
    if _STYLES not in archive.names:
        return {}
    found: dict[str, str] = {}
    based: dict[str, str] = {}
    for style in xml(archive.read(_STYLES), f"{archive.name}, {_STYLES}").iter("{*}style"):
        values = {local(each): each.get(_VALUE, "") for each in style}
        name, own = values.get("name", "").lower(), style.get(_ID, "")
        based[own] = values.get("basedon", "")
        if _HEADING.fullmatch(name) or _TOC.fullmatch(name):
            found[own] = HEADING if _HEADING.fullmatch(name) else CONTENTS
    for own, parent in based.items():
        # A style of somebody's own, made of one of these.
        if own not in found and parent in found:
            found[own] = found[parent]
    return found


def _by_id(archive: Archive, file: str) -> dict[str, Element]:
    if file not in archive.names:
        return {}
    root = xml(archive.read(file), f"{archive.name}, {file}")
    # Those with a type are the lines that Word draws above its notes.
    return {attribute(note, "id"): note for note in root if not attribute(note, "type")}
