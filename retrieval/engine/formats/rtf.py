"""RTF, by striprtf: it knows the words and the paragraphs of a file, and neither its styles nor its notes."""

import re

from striprtf.striprtf import rtf_to_text

from common.errors import BadInput
from retrieval.engine.formats.blocks import Block
from retrieval.engine.text.reading import letters

# A line break within a paragraph, of which striprtf would make the end of one: U+2028, as RTF writes letters.
_LINE = re.compile(r"\\line(?![a-zA-Z])")
_CHARACTERS = re.compile(r"\\rtf\d?\\(mac|pca|pc)(?![a-zA-Z])")
_FOOTNOTE = re.compile(r"\{\\(?:\*\\)?footnote(?![a-zA-Z])")


def read(data: bytes, name: str) -> tuple[list[Block], list[str]]:
    """Return the paragraphs of an RTF file, and a sentence about what is lost.

    Raises:
        BadInput: it cannot be read.
    """
    source = data.decode("latin-1")
    notes = len(_FOOTNOTE.findall(source))
    try:
        text = rtf_to_text(  # type: ignore[no-untyped-call]
            _LINE.sub(r"\\u8232?", source), encoding=_encoding(source), errors="replace"
        )
    except Exception as error:  # noqa: BLE001 - what a damaged file raises there is anything
        raise BadInput(f"{name} cannot be read as RTF ({error}); save it as DOCX or as plain text.") from None
    # What lies beyond the first plane RTF writes as two halves, and some files hold one without the other.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    blocks = [
        Block(
            "\n".join(line for part in paragraph.split("\u2028") if (line := " ".join(letters(part).split())))
        )
        for paragraph in text.split("\n")
    ]
    remarks = [
        f"Left out {notes} footnote{'' if notes == 1 else 's'} of the RTF file; saved as DOCX, it keeps them."
    ]
    return [block for block in blocks if block.text], remarks if notes else []


def _encoding(source: str) -> str:
    """The encoding of an RTF file that names no code page, which striprtf reads by itself."""
    found = _CHARACTERS.search(source[:1_000])
    return {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}[found[1]] if found else "cp1252"
