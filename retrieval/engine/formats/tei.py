"""TEI: what the encoder said of heads, verse, notes and datelines is taken at its word."""

from common.errors import BadInput
from retrieval.engine.formats.blocks import Block
from retrieval.engine.formats.trees import Element, attribute, local, xml
from retrieval.engine.formats.walking import Walker
from retrieval.engine.text.layout import (
    CONTENTS,
    DATELINE,
    EDITORS_NOTE,
    FOOTNOTE,
    FRONT_MATTER,
    HEADING,
    ILLUSTRATION,
)

_NO_TEXT = {"teiheader", "gap", "fw", "del", "figdesc", "surplus", "facsimile", "standoff", "index", "desc"}
_BLOCKS = {
    "l", "dateline", "p", "ab", "lg", "head", "trailer", "sp", "speaker", "stage", "item", "list", "cell",
    "row", "table", "div", "div1", "div2", "div3", "div4", "div5", "div6", "div7", "body", "front", "back",
    "text", "group", "epigraph", "opener", "closer", "salute", "signed", "byline", "argument",
    "castitem", "floatingtext", "postscript",
}  # fmt: skip
_LINES_OF_TITLE = {"titlepart", "docauthor", "docdate", "docimprint", "docedition", "byline", "imprimatur"}
_BETWEEN_LINES = {"pb", "cb", "lb", "milestone", "note", "fw", "anchor", "gap"}
# Of two forms in a `choice` the one that a reading edition prints.
_PREFERRED = ("corr", "expan", "orig", "reg", "sic", "abbr")
_PARTS = {"titlepage": FRONT_MATTER, "figure": ILLUSTRATION}
_KINDS = {"head": HEADING, "trailer": HEADING, "dateline": DATELINE}


def read(data: bytes, name: str) -> list[Block]:
    """Return the paragraphs of a TEI document's text, without its header.

    ``head`` is a heading, each ``lg`` a stanza whose ``l`` keep their ends, ``note`` the author's unless
    ``resp`` or ``type`` says an editor's, ``dateline`` a dateline; running heads and page breaks are left
    out. Of a ``choice`` the corrected, the expanded or else the original form is read.

    Raises:
        BadInput: it is not well-formed, or has no ``text``.
    """
    root = xml(data, name)
    # A corpus has several; those of a group lie within its own.
    texts = [each for each in root.iter("{*}text") if next(each.iterancestors("{*}text"), None) is None]
    if not texts:
        raise BadInput(f"{name} is TEI without a <text>; a document with its text was expected.")
    return [block for each in texts for block in _TeiWalker().blocks(each)]


class _TeiWalker(Walker):
    def __init__(self) -> None:
        super().__init__()
        self._forms: dict[Element, str] = {}

    def start(self, name: str, element: Element) -> bool:
        if name == "gap":
            self.builder.text("[…]")
        if name in _NO_TEXT or not self._is_chosen(name, element):
            return False
        if name == "note":
            self.builder.open_note()
        elif name in _PARTS:
            self.enter(_PARTS[name])
        elif _is_italic(name, element):
            self.builder.italics()
        else:
            self._begin(name, element)
        return True

    def _begin(self, name: str, element: Element) -> None:
        goes_on = name == "l" and _is_line(element.getprevious(), forward=False)
        if goes_on or (name == "lb" and _keeps_line(element)) or self._is_line_of_title(name):
            self.builder.line()
        elif name in _BLOCKS:
            self.close()
            if _lists_contents(element):
                self.enter(CONTENTS)

    def end(self, name: str, element: Element) -> None:
        if name == "note":
            self.builder.close_note(_note_kind(element))
        elif name in _PARTS or (name in _BLOCKS and _lists_contents(element)):
            self.leave()
        elif _is_italic(name, element):
            self.builder.roman()
        elif self._is_line_of_title(name):
            self.builder.line()
        elif name in _BLOCKS and not (name == "l" and _is_line(element.getnext(), forward=True)):
            self.close(_KINDS.get(name, ""))

    def _is_chosen(self, name: str, element: Element) -> bool:
        """Whether it stands in no ``choice``, or is the form of it that is read."""
        choice = element.getparent()
        if choice is None or local(choice) != "choice":
            return True
        # Asked of every child: looked up once, or many children would cost the square of their number.
        if choice not in self._forms:
            self._forms[choice] = _form_read(choice)
        return name == (self._forms[choice] or name)

    def _is_line_of_title(self, name: str) -> bool:
        return name in _LINES_OF_TITLE and self._context[-1:] == [FRONT_MATTER]


def _lists_contents(element: Element) -> bool:
    return local(element) != "head" and attribute(element, "type") in ("contents", "toc")


def _is_line(sibling: Element, *, forward: bool) -> bool:
    """Whether a line of verse stands there, behind a page's break or a note perhaps."""
    while sibling is not None and local(sibling) in _BETWEEN_LINES:
        sibling = sibling.getnext() if forward else sibling.getprevious()
    return sibling is not None and local(sibling) == "l"


def _form_read(choice: Element) -> str:
    """The name of the form of a ``choice`` that is read; empty where all are."""
    there = {local(each) for each in choice}
    return next((form for form in _PREFERRED if form in there), "")


def _is_italic(name: str, element: Element) -> bool:
    if name not in ("hi", "emph", "foreign", "title"):
        return False
    rendered = attribute(element, "rend", "rendition", "style")
    return name == "emph" or "ital" in rendered or rendered == "i"


def _keeps_line(element: Element) -> bool:
    """A line break within a head or an address is the author's; in prose it is the typesetter's."""
    parent = element.getparent()
    return parent is not None and local(parent) in {"head", "salute", "signed", "opener", "closer"}


def _note_kind(element: Element) -> str:
    said = attribute(element, "resp", "type")
    return EDITORS_NOTE if said and "author" not in said and "foot" not in said else FOOTNOTE
