"""Documents of a corpus: JSONL (BEIR's corpus.jsonl among it) and TREC text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import LONGEST_LINE, Line, Wrong
from retrieval.engine.interchange.objects import Object, checked_id, objects

LONGEST_TITLE = 500
FIRST_YEAR, LAST_YEAR = -3000, 3000
_LENGTHS = {"title": LONGEST_TITLE, "genre": 60, "language": 35, "source_key": 120}
"""Most characters of a value."""


class ReadDocument(NamedTuple):
    """One document of a file.

    external_id: its id in runs and qrels.
    title: may be empty.
    text: never blank.
    genre: empty where the file names none; so are `language` and `source_key`.
    year: of the text; None where the file names none.
    source_key: the text it was cut from.
    extra: what else the file says of it.
    line: where it begins in the file, from 1.
    last: the number of its last line.
    end: bytes of the file up to and with its last line.
    """

    external_id: str
    title: str
    text: str
    genre: str
    year: int | None
    language: str
    source_key: str
    extra: dict[str, Any]
    line: int
    last: int
    end: int


def jsonl(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadDocument]:
    """Yield the document of each line.

    Keys: `id` or `_id`, `text` (or `contents`), and if wanted `title`, `genre`, `year`, `language`,
    `source`; they may stand in `metadata`, as in BEIR's files, too. Others are kept as `extra`.

    Raises:
        BadInput: a line is no such object; the sentence names it.
    """
    for each in objects(lines, wrong):
        yield _document(each, wrong)


def _document(found: Object, wrong: Wrong) -> ReadDocument:
    external_id = found.id("id", "_id", "docid")
    title, text = found.text("title"), found.text("text", "contents", needed=True)
    beside = Object(found.line, found.mapping("metadata"), wrong)

    def text_of(name: str) -> str:
        return found.text(name) or beside.text(name)

    year = found.number("year")
    if year is None:
        year = beside.number("year")
    values = {"genre": text_of("genre"), "language": text_of("language"), "source_key": text_of("source")}
    return checked(
        ReadDocument(
            external_id,
            title,
            text,
            **values,
            year=year,
            extra={**beside.rest(), **found.rest()},
            line=found.line.number,
            last=found.line.number,
            end=found.line.end,
        ),
        wrong,
    )


def checked(document: ReadDocument, wrong: Wrong) -> ReadDocument:
    """Return the document as it is. Raises `BadInput` where a value is too long, or its year is none."""
    for name, most in _LENGTHS.items():
        if len(getattr(document, name)) > most:
            shown = "source" if name == "source_key" else name
            raise wrong(document.line, f"the {shown} has more than {most} characters.")
    if document.year is not None and not FIRST_YEAR <= document.year <= LAST_YEAR:
        raise wrong(document.line, f"{document.year} is no year between {FIRST_YEAR} and {LAST_YEAR}.")
    return document


def trec(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadDocument]:
    """Yield the documents of a file of TREC text: `<DOC>`, `<DOCNO>`, and the rest of it as text.

    It is SGML and not XML: tags stand in no order and need no end, so nothing here resolves an entity but
    the names of characters. `<TITLE>`, `<HEADLINE>` or `<TTL>` is the title; other tags are passed over.

    Raises:
        BadInput: text outside a document, a document without its end, its id or its text.
    """
    held: list[Line] = []
    size = 0
    for line in lines:
        tag = line.text.strip().upper()
        if tag == "<DOC>":
            if held:
                raise wrong(line.number, f"<DOC> within the document of line {held[0].number:,}.")
            held, size = [line], 0
        elif tag == "</DOC>" and held:
            yield _trec_document([*held, line], wrong)
            held = []
        elif held:
            size += len(line.text)
            if size > LONGEST_LINE:
                raise wrong(held[0].number, f"a document of more than {LONGEST_LINE // 2**20} MB.")
            held.append(line)
        elif tag:
            raise wrong(line.number, "text outside <DOC> and </DOC>.")
    if held:
        raise wrong(held[0].number, "<DOC> has no </DOC>.")


def _trec_document(held: list[Line], wrong: Wrong) -> ReadDocument:
    number = held[0].number
    parts = _parts("\n".join(line.text for line in held[1:-1]))
    ids = [text.strip() for tag, text in parts if tag == "DOCNO"]
    if len(ids) != 1:
        raise wrong(number, f"the document has {len(ids)} <DOCNO>; one was expected.")
    title = " ".join(
        " ".join(text.split()) for tag, text in parts if tag in ("TITLE", "HEADLINE", "TTL") and text.strip()
    )
    text = "\n".join(text.strip() for tag, text in parts if tag not in _NO_TEXT and text.strip())
    if not text:
        raise wrong(number, f"the document {ids[0][:60]!r} has no text.")
    read = ReadDocument(
        checked_id(ids[0], number, wrong),
        html.unescape(title)[:LONGEST_TITLE],
        html.unescape(text),
        genre="",
        year=None,
        language="",
        source_key="",
        extra={},
        line=number,
        last=held[-1].number,
        end=held[-1].end,
    )
    return checked(read, wrong)


_NO_TEXT = {"DOCNO", "DOCID", "DOCHDR", "TITLE", "HEADLINE", "TTL", "DATE", "FILEID"}
"""Tags whose content says something about the document."""


def _parts(text: str) -> list[tuple[str, str]]:
    """Return the stretches between tags, each with the name of the tag that opened last and stands open."""
    parts: list[tuple[str, str]] = []
    open_tags: list[str] = []
    for n, piece in enumerate(text.split("<")):
        name, closed, rest = piece.partition(">") if n else ("", "", piece)
        if n and not (closed and _is_tag(name)):
            # A sign of less, no tag.
            tag, before = parts.pop()
            parts.append((tag, f"{before}<{piece}"))
            continue
        if name.startswith("/"):
            if name[1:].upper() in open_tags:
                while open_tags.pop() != name[1:].upper():
                    pass
        elif n:
            open_tags.append(name.split()[0].upper())
        parts.append((open_tags[-1] if open_tags else "", rest))
    return parts


def _is_tag(name: str) -> bool:
    word = name.removeprefix("/").split(" ", 1)[0]
    return word.isascii() and word.replace("-", "").replace("_", "").isalnum() and word[0].isalpha()


def unknown_format(name: str) -> BadInput:
    """Make the error for a file of which the name does not tell what it is."""
    return BadInput(
        f"{name}: a corpus is a .jsonl file, a BEIR folder (corpus.jsonl in it), or TREC text (.trec, .sgml, "
        ".txt with <DOC>); each may be packed (.gz)."
    )
