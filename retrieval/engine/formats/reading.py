"""From a file's bytes to the text that is stored, whatever its format."""

from collections.abc import Sequence
from typing import NamedTuple

from common.errors import BadInput
from retrieval.engine.formats import docx, epub, html, rtf, tei
from retrieval.engine.formats.archive import Archive
from retrieval.engine.formats.blocks import Block, composed
from retrieval.engine.formats.detect import DOCX, HTML, PLAIN, RTF, TEI, detect
from retrieval.engine.formats.encodings import Decoded, charset, decode, refuse_control
from retrieval.engine.text.reading import NoText, is_gutenberg_end, is_gutenberg_start, prepare

OWN = "its own"
"""The encoding of a format that says it itself."""
MOST_PARAGRAPHS = 200_000
"""Several times what the longest novels have: every page about a text walks over its paragraphs."""


class ReadText(NamedTuple):
    """A file as it is stored.

    text: paragraphs parted by a blank line.
    notes: what was removed, joined or lost, in sentences.
    known: kinds of paragraphs that the file's markup gives, by their offsets.
    format: one of those in ``detect``.
    encoding: by its name; of EPUB, DOCX, RTF and TEI :data:`OWN`.
    guessed: whether nothing but the bytes speaks for the encoding.
    lines: some with other than ASCII letters, with their numbers in the file, where it is not UTF-8.
    """

    text: str
    notes: tuple[str, ...]
    known: dict[int, str]
    format: str
    encoding: str
    guessed: bool = False
    lines: tuple[tuple[int, str], ...] = ()


def read(data: bytes, name: str, encoding: str = "", guess: bool = False) -> ReadText:
    """Read a file by its content; ``encoding`` and ``guess`` as in ``encodings.decode``.

    Raises:
        BadInput: naming the file and what would be right; nothing of it is used.
    """
    if not data.strip():
        raise BadInput(f"{name} is empty; a text was expected.")
    try:
        found = _read(data, name, encoding, guess)
    except NoText as error:
        raise BadInput(f"{name}: {error}") from None
    if (number := found.text.count("\n\n") + 1) > MOST_PARAGRAPHS:
        raise BadInput(
            f"{name} has {number:,} paragraphs of {len(found.text) // number:,} characters on average; "
            f"at most {MOST_PARAGRAPHS:,} were expected."
        )
    return found


def _read(data: bytes, name: str, encoding: str, guess: bool) -> ReadText:
    kind = detect(data, name, encoding)
    if kind in (PLAIN, HTML):
        decoded = decode(data, name, encoding, said=charset(data) if kind == HTML else "", guess=guess)
        return _plain(decoded) if kind == PLAIN else _of_html(decoded, name)
    notes: Sequence[str] = ()
    if kind == RTF:
        blocks, notes = rtf.read(data, name)
    elif kind == TEI:
        blocks = tei.read(data, name)
    else:
        blocks = _archived(kind, data, name)
    return _composed(blocks, notes, name, kind, Decoded("", OWN, False, ()))


def _plain(decoded: Decoded) -> ReadText:
    text, notes = prepare(decoded.text)
    return ReadText(text, notes, {}, PLAIN, *decoded[1:])


def _of_html(decoded: Decoded, name: str) -> ReadText:
    return _composed(html.read(decoded.text, name), (), name, HTML, decoded)


def _archived(kind: str, data: bytes, name: str) -> list[Block]:
    with Archive(data, name) as archive:
        return docx.read(archive) if kind == DOCX else epub.read(archive)


def _composed(
    blocks: Sequence[Block], notes: Sequence[str], name: str, kind: str, decoded: Decoded
) -> ReadText:
    kept, removed = _without_gutenberg(blocks)
    if not any(any(map(str.isalnum, text)) for text, _ in kept):
        raise BadInput(f"{name}: no words were found in the {kind} file; a text was expected.")
    text, known = composed(kept)
    refuse_control(text, name)
    return ReadText(text, (f"Read as {kind}.", *notes, *removed), known, kind, *decoded[1:])


def _without_gutenberg(blocks: Sequence[Block]) -> tuple[Sequence[Block], list[str]]:
    """The blocks between Project Gutenberg's markers; its marked sections are gone already."""
    notes = []
    first = next((at + 1 for at, block in enumerate(blocks) if is_gutenberg_start(block.text)), 0)
    last = next(
        (at for at, block in enumerate(blocks) if at >= first and is_gutenberg_end(block.text)), len(blocks)
    )
    if first:
        notes.append(f"Removed a Project Gutenberg header of {first} paragraphs.")
    if last < len(blocks):
        notes.append(f"Removed a Project Gutenberg footer of {len(blocks) - last} paragraphs.")
    return blocks[first:last], notes
