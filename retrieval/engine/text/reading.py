"""From a file's bytes to the text that is stored: decoded, unwrapped, without Gutenberg's frame.

Every later offset points into what :func:`prepare` returns, so nothing changes
the text after this module has seen it.
"""

import re
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.text.unwrapping import paragraphs

# UTF-32's mark begins as UTF-16's does, so it is asked first.
_WIDE_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
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


class PreparedText(NamedTuple):
    """A text as it is stored.

    text: what is stored.
    notes: one sentence for a person about each thing that was removed or joined.
    """

    text: str
    notes: tuple[str, ...]


def decode(data: bytes, name: str) -> str:
    """Read UTF-8 (with or without BOM; CRLF and CR become LF).

    Raises :class:`BadInput` naming the file, and the line or byte, when the
    data is empty, binary, or in another encoding.
    """
    if not data.strip():
        raise BadInput(f"{name} is empty; a plain text file in UTF-8 was expected.")
    for mark, encoding in _WIDE_MARKS.items():
        if data.startswith(mark):
            raise BadInput(f"{name} is encoded in {encoding}; save it as UTF-8 and try again.")
    zero = data.find(b"\0")
    if zero >= 0:
        raise BadInput(f"{name} is a binary file (NUL at byte {zero}); plain text in UTF-8 was expected.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # With a BOM the codec counts from behind it.
        at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = data.count(b"\n", 0, at) + 1
        raise BadInput(
            f"{name} is not UTF-8: byte 0x{data[at]:02x} in line {line} (byte {at}); "
            "save it as UTF-8 and try again."
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    control = _CONTROL.search(text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        raise BadInput(
            f"{name} is a binary file (control character 0x{ord(control[0]):02x} in line {line}); "
            "plain text in UTF-8 was expected."
        )
    if not text.strip():
        raise BadInput(f"{name} is empty; a plain text file in UTF-8 was expected.")
    return text


def prepare(text: str, *, marks_pages: bool = True) -> PreparedText:
    """Make the text that is stored: paragraphs parted by one blank line, hard wraps joined.

    A Project Gutenberg header or footer is removed when its marker is there;
    lines of verse and of letter heads keep their ends; ``_italics_`` stay.
    With ``marks_pages``, a paragraph that is broken by a line with nothing but
    a page number is put together again, and running heads beside such numbers go.
    """
    text, notes = _without_gutenberg(text.replace("\r\n", "\n").replace("\r", "\n"))
    body, more = paragraphs(text, marks_pages=marks_pages)
    if not body:
        raise BadInput("The text has no words; a plain text with at least one sentence was expected.")
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
