"""From a plain text to the text that is stored: unwrapped, without Gutenberg's frame.

Every later offset points into what :func:`prepare` returns, so nothing changes
the text after this module has seen it. Files and their encodings are read in ``formats``.
"""

import re
import unicodedata
from typing import NamedTuple

from common.errors import BadInput
from common.texts.surface import MOST_MARKS, ON_LETTERS, STACK
from retrieval.engine.text.unwrapping import paragraphs

_START = re.compile(
    r"^[ \t]*\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)[^*]{0,300}(?:\*{3}[^\n]*)?$"
    r"|^[ \t]*\*END\*? ?THE SMALL PRINT![^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(
    r"^[ \t]*\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG"
    r"|^[ \t]*End of (?:the )?Project Gutenberg(?:'s|’s)? ",
    re.IGNORECASE | re.MULTILINE,
)
# A soft hyphen at a line's end with the break; then what has no width.
_SOFT_BREAK = re.compile(r"\xad[ \t]{0,20}\n[ \t]{0,20}")
_INVISIBLE = "\xad\u200b\u2060\ufeff"


class NoText(BadInput):
    """What a file holds is no text; which file it is, whoever reads it knows."""


class PreparedText(NamedTuple):
    """A text as it is stored.

    text: what is stored.
    notes: one sentence for a person about each thing that was removed or joined.
    """

    text: str
    notes: tuple[str, ...]


def is_gutenberg_start(paragraph: str) -> bool:
    """Whether the paragraph is the line behind which a Project Gutenberg text begins."""
    return _START.search(paragraph) is not None


def is_gutenberg_end(paragraph: str) -> bool:
    """Whether the paragraph begins the frame behind a Project Gutenberg text."""
    return _END.search(paragraph) is not None


def letters(text: str) -> str:
    """Return the text with each letter as one (Unicode's NFC) and without what has no width.

    Else a word that a critic quotes were another: “café” is written in two ways, and a soft hyphen parts it.

    Raises:
        NoText: a letter has more marks on it than any language writes.
    """
    text = _SOFT_BREAK.sub("", text)
    for sign in _INVISIBLE:
        text = text.replace(sign, "")
    if not ON_LETTERS.isdisjoint(text) and (stack := STACK.search(text)):
        raise NoText(
            f"{len(stack[0]):,} marks stand on one letter, the first is U+{ord(stack[0][0]):04X}; "
            f"a text with at most {MOST_MARKS} was expected."
        )
    return unicodedata.normalize("NFC", text)


def prepare(text: str, *, marks_pages: bool = True) -> PreparedText:
    """Make the text that is stored: paragraphs parted by one blank line, hard wraps joined.

    A Project Gutenberg header or footer is removed when its marker is there;
    lines of verse and of letter heads keep their ends; ``_italics_`` stay.
    With ``marks_pages``, a paragraph that is broken by a line with nothing but
    a page number is put together again, and running heads beside such numbers go.
    """
    text, notes = _without_gutenberg(letters(text.replace("\r\n", "\n").replace("\r", "\n")))
    body, more = paragraphs(text, marks_pages=marks_pages)
    if not body:
        raise NoText("The text has no words; a plain text with at least one sentence was expected.")
    return PreparedText("\n\n".join(body), (*notes, *more))


def _without_gutenberg(text: str) -> tuple[str, list[str]]:
    notes = []
    start = _START.search(text)
    if start:
        notes.append(_note("header", text[: start.end()]))
        text = text[start.end() :]
    end = _END.search(text)
    if end:
        notes.append(_note("footer", text[end.start() :]))
        text = text[: end.start()]
    return text.strip("\n"), notes


def _note(what: str, removed: str) -> str:
    lines = removed.strip("\n").count("\n") + 1
    return f"Removed a Project Gutenberg {what} of {lines} line{'' if lines == 1 else 's'}."
