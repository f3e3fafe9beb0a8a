"""DOCX: paragraphs with their styles, and the notes that Word keeps in files of their own."""

import re

from common.errors import BadInput
from retrieval.engine.formats.archive import Archive
from retrieval.engine.formats.blocks import Block, Builder
from retrieval.engine.formats.trees import Element, attribute, local, xml
from retrieval.engine.text.layout import HEADING

_DOCUMENT, _STYLES = "word/document.xml", "word/styles.xml"
_NOTES = {"footnotereference": "word/footnotes.xml", "endnotereference": "word/endnotes.xml"}
_HEADING = re.compile(r"(?:heading|title|subtitle|überschrift|titel|titre)(?: ?\d)?")
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
    reader = _DocxReader(_headings(archive), notes)
    for paragraph in body.iter("{*}p"):
        # A text box stands within the paragraph it hangs on, which has read it.
        if next(paragraph.iterancestors("{*}p"), None) is None:
            reader.paragraph(paragraph)
    return reader.builder.blocks


class _DocxReader:
    def __init__(self, headings: set[str], notes: dict[str, dict[str, Element]]) -> None:
        self.builder = Builder()
        self._headings, self._notes = headings, notes
        self._numbers = 0

    def paragraph(self, paragraph: Element) -> None:
        style, outlined = "", False
        for element in paragraph.iter():
            name = local(element)
            if name == "pstyle":
                style = element.get(_VALUE, "")
            elif name == "outlinelvl":
                outlined = element.get(_VALUE, "9") != "9"
            else:
                self._inline(name, element)
        self.builder.close(HEADING if outlined or (style and style in self._headings) else "")

    def _inline(self, name: str, element: Element) -> None:
        if name == "t":
            italic = _is_italic(element)
            if italic:
                self.builder.italics()
            self.builder.text(element.text)
            if italic:
                self.builder.roman()
        elif name == "tab":
            self.builder.text(" ")
        elif name in ("br", "cr") and attribute(element, "type") not in ("page", "column"):
            self.builder.line()
        elif name == "nobreakhyphen":
            self.builder.text("-")
        elif name in self._notes:
            self._note(self._notes[name].get(attribute(element, "id")))

    def _note(self, note: Element) -> None:
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


def _is_italic(text: Element) -> bool:
    run = text.getparent()
    found = next((each for each in run.iter("{*}i")), None)
    return found is not None and found.get(_VALUE, "1") not in ("0", "false")


def _headings(archive: Archive) -> set[str]:
    """The ids of the styles that are headings; the names are English in every language's Word."""
    if _STYLES not in archive.names:
        return set()
    found = set()
    for style in xml(archive.read(_STYLES), f"{archive.name}, {_STYLES}").iter("{*}style"):
        name = next((each.get(_VALUE, "") for each in style if local(each) == "name"), "")
        if _HEADING.fullmatch(name.lower()):
            found.add(style.get(_ID, ""))
    return found


def _by_id(archive: Archive, file: str) -> dict[str, Element]:
    if file not in archive.names:
        return {}
    root = xml(archive.read(file), f"{archive.name}, {file}")
    # Those with a type are the lines that Word draws above its notes.
    return {attribute(note, "id"): note for note in root if not attribute(note, "type")}
