"""Documents of a corpus: JSONL (BEIR's corpus.jsonl among it) and TREC text."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.lines import LONGEST_LINE, Line, Wrong
from retrieval.engine.interchange.objects import Object, checked_id, objects

LONGEST_TITLE = 2_000
IDS = ("id", "_id", "docid", "doc_id", "docno", "pid", "corpusid")
TEXTS = ("text", "contents", "body", "abstract")
"""How files call what identifies a document, and what it says."""
FIRST_YEAR, LAST_YEAR = -3000, 3000
_LENGTHS = {"title": LONGEST_TITLE, "genre": 60, "language": 35, "source_key": 120}
"""Most characters of a value."""


class ReadDocument(NamedTuple):
    """One document of a file.

    external_id: its id in runs and qrels.
    title: may be empty.
    text: may be empty, too: who loads it decides what becomes of a document without either.
    genre: empty where the file names none; so are `language` and `source_key`.
    year: of the text; None where the file names none.
    source_key: the text it was cut from.
    extra: what else the file says of it.
    line: where it begins in the file, from 1.
    last: the number of its last line.
    end: bytes of the file up to and with its last line.
    lemmata: the words of the text as lemmas, with blanks between them; empty where the file gives none.
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
    lemmata: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it has neither title nor text."""
        return not (self.title.strip() or self.text.strip())


def jsonl(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadDocument]:
    """Yield the document of each line.

    Keys: `id` (or another of `IDS`), `text` (or another of `TEXTS`), and if wanted `title`, `genre`, `year`,
    `language`, `source`, `lemmata`; they may stand in `metadata`, as in BEIR's files, too. Others are kept as
    `extra`, but for `full_paper` and `citations` beside a `corpusid` (LitSearch's): the whole paper is forty
    times what is searched of it.

    Raises:
        BadInput: a line is no such object; the sentence names it.
    """
    for each in objects(lines, wrong):
        yield _document(each, wrong)


def _document(found: Object, wrong: Wrong) -> ReadDocument:
    external_id = found.id(*IDS)
    title = found.text("title")
    # A text may be empty or null, as that of a paper without an abstract; one that is missing is a mistake.
    text = found.text(*TEXTS) if found.has(*TEXTS) else found.text(*TEXTS, needed=True)
    if found.has("corpusid"):
        found.pass_over("full_paper", "citations")
    beside = Object(found.line, found.mapping("metadata"), wrong)

    def text_of(name: str) -> str:
        return found.text(name) or beside.text(name)

    year = found.number("year")
    if year is None:
        year = beside.number("year")
    values = {
        "lemmata": text_of("lemmata"),
        "genre": text_of("genre"),
        "language": text_of("language"),
        "source_key": text_of("source"),
    }
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

    A document begins with the line that begins with `<DOC>` and ends with the line that ends with `</DOC>`.
    It is SGML and not XML: tags stand in no order and need no end, so nothing here resolves an entity but
    the names of characters. `_KINDS` tells what is the title, and what only says something about the
    document; other tags, and comments, are passed over.

    Raises:
        BadInput: text outside a document, or a document without its end or its id.
    """
    held: list[Line] = []
    size = 0
    for line in lines:
        said = line.text.strip()
        begins, ends = said[:5].upper() == "<DOC>", said[-6:].upper() == "</DOC>"
        if begins and held:
            raise wrong(line.number, f"<DOC> within the document of line {held[0].number:,}.")
        if said and not (begins or held):
            raise wrong(line.number, "text outside <DOC> and </DOC>.")
        if not (begins or held):
            continue
        held.append(line)
        size += len(line.text) + 1
        if size > LONGEST_LINE:
            raise wrong(held[0].number, f"a document of more than {LONGEST_LINE // 2**20} MB.")
        if ends:
            yield _trec_document(held, wrong)
            held, size = [], 0
    if held:
        raise wrong(held[0].number, "<DOC> has no </DOC>.")


def _trec_document(held: list[Line], wrong: Wrong) -> ReadDocument:
    number = held[0].number
    parts = _parts(_uncommented("\n".join(line.text for line in held)))
    ids = [text.strip() for part, text in parts if part == "DOCNO"]
    if len(ids) != 1:
        raise wrong(number, f"the document has {len(ids)} <DOCNO>; one was expected.")
    title, over = _fitting(" ".join(_characters(text) for part, text in parts if part == "title").split())
    text = "\n".join(
        filter(None, (over, *(_characters(text).strip() for part, text in parts if part == "text")))
    )
    read = ReadDocument(
        checked_id(ids[0], number, wrong),
        title,
        text,
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


_KINDS = {
    "DOCNO": "DOCNO",
    **dict.fromkeys(("TITLE", "HEADLINE", "TTL", "HEAD", "HL", "TI"), "title"),
    **dict.fromkeys(
        ("DOCID", "DOCOLDNO", "DOCHDR", "PARENT", "PROFILE", "DATE", "DATE1", "FILEID", "HT"), ""
    ),
    **dict.fromkeys(("SCRIPT", "STYLE"), ""),
}
"""What stands in a tag, of the newspapers and agencies on TREC's disks and of web pages: the id, the title,
or what says something about the document, or is for machines. In any other it is text.
"""


def _fitting(words: list[str]) -> tuple[str, str]:
    """Return the words as a title, and those that no longer fit into one."""
    title = " ".join(words)
    if len(title) <= LONGEST_TITLE:
        return title, ""
    kept = title[: LONGEST_TITLE + 1].rpartition(" ")[0] or title[:LONGEST_TITLE]
    return kept, title[len(kept) :].strip()


def _characters(text: str) -> str:
    # Two names that the Federal Register uses and no list of HTML has, or has for another character.
    return html.unescape(text.replace("&blank;", " ").replace("&hyph;", "-"))


def _uncommented(text: str) -> str:
    """Return the text without its comments; one that has no end is none."""
    first, *rest = text.split("<!--")
    return first + "".join(piece.partition("-->")[2] if "-->" in piece else f"<!--{piece}" for piece in rest)


def _parts(text: str) -> list[tuple[str, str]]:
    """Return the stretches between tags, each with what it is: `DOCNO`, `title`, `text`, or nothing.

    A tag without an end reaches to the next tag; one with an end holds all up to there.
    """
    pieces = _pieces(text)
    ends_to_come = Counter(name for name, _ in pieces if name.startswith("/"))
    stack: list[str] = []
    open_tags, open_kinds = Counter[str](), Counter[str]()

    def count(name: str, by: int) -> None:
        open_tags[name] += by
        open_kinds[_KINDS.get(name, "text")] += by

    parts = []
    for name, rest in pieces:
        alone = "text"
        if name.startswith("/"):
            ends_to_come[name] -= 1
            while open_tags[name[1:]] and (ended := stack.pop()):
                count(ended, -1)
                if ended == name[1:]:
                    break
        elif ends_to_come[f"/{name}"]:
            stack.append(name)
            count(name, 1)
        else:
            alone = _KINDS.get(name, "text")
        if rest.strip():
            kinds = (kind for kind in ("DOCNO", "", "title") if kind == alone or open_kinds[kind])
            parts.append((next(kinds, "text"), rest))
    return parts


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return each tag by its name in capitals, with a stroke where it ends one, and the text behind it."""
    first, *rest = text.split("<")
    pieces: list[tuple[str, list[str]]] = [("", [first])]
    for piece in rest:
        name, closed, behind = piece.partition(">")
        if closed and _is_tag(name):
            pieces.append((name.split()[0].upper(), [behind]))
        else:
            # A sign of less, no tag.
            pieces[-1][1].append(piece)
    return [(name, "<".join(texts)) for name, texts in pieces]


def _is_tag(name: str) -> bool:
    word, *more = name.removeprefix("/").split()[:3] or [""]
    if name[:1] in "!?":
        return word[1:2].isalpha()
    # Behind a name stand attributes: `x <y and y> z` has none.
    return (
        name[:1].strip() != ""
        and word.isascii()
        and word[:1].isalpha()
        and word.replace("-", "").replace("_", "").isalnum()
        and (len(more) < 2 or "=" in name)
    )


def unknown_format(name: str) -> BadInput:
    """Make the error for a file of which the name does not tell what it is."""
    return BadInput(
        f"{name}: a corpus is a .jsonl file, a BEIR folder (corpus.jsonl in it), a .tsv table, or TREC text "
        "(.trec, .sgml, .txt with <DOC>); each may be packed (.gz)."
    )
