"""A corpus loaded from a file of documents, however large: JSONL, BEIR, tables, TREC text, verses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from retrieval.corpora.loading import staging, verses
from retrieval.corpora.loading.staging import Place, Placed
from retrieval.corpora.loading.verses import Books
from retrieval.corpora.models import Corpus
from retrieval.engine.interchange import delimited, documents
from retrieval.engine.interchange.documents import ReadDocument
from retrieval.engine.interchange.lines import lines, opened, position, printable, sha256, wrong_in

FORMATS = {"jsonl": documents.jsonl, "trec": documents.trec}
"""Readers by name of format; a table (`tsv`) is read by the columns that its first line tells."""
_ENDINGS = {
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".trec": "trec",
    ".sgml": "trec",
    ".txt": "trec",
}
NAMES = (*FORMATS, "tsv", verses.FORMAT)
"""Of all formats."""
_NOWHERE = Place()


class Loaded(NamedTuple):
    """What a loading came to.

    corpus: its row, ready.
    created: whether it is new.
    notes: what was noticed of it, in sentences.
    """

    corpus: Corpus
    created: bool
    notes: Sequence[str] = ()


def load(
    path: Path,
    facts: dict[str, str],
    progress: Progress = silent,
    *,
    leave_out_empty: bool = False,
    form: str = "",
    books: Sequence[Path] = (),
) -> Loaded:
    """Load a corpus from a file, or go on with it where that was interrupted.

    Args:
        path: The file, or a BEIR folder with `corpus.jsonl` in it; `.gz` is unpacked on the way.
        facts: Values of `staging.FACTS`.
        progress: Called with the megabytes that are read, and those that the file has.
        leave_out_empty: Leave documents without title and text out, and count them, instead of refusing them.
        form: One of `NAMES`; empty: what the name of the file tells.
        books: Lists of the books of a table of verses, in their order.

    Raises:
        BadInput: a sentence that names the file and the line, or the fact; nothing of the file is stored.
    """
    file = document_file(path)
    form = form or format_of(file)
    if books and form != verses.FORMAT:
        raise BadField("books", "Lists of books (--books) go with a table of verses (--format verses).")
    order = verses.read_books(books)
    recipe: dict[str, Any] = {"format": form, "name": printable(file)}
    if order.files:
        recipe["books"] = order.files
    if leave_out_empty:
        recipe["empty"] = staging.LEFT_OUT
    progress(0, 1, "reading")
    with opened(file) as stream:
        megabytes = _megabytes(file.stat().st_size)
        corpus, ready = staging.begin(Corpus(**facts, recipe=recipe, sha256=sha256(file)))
        notes = verses.told if form == verses.FORMAT else _nothing
        if ready:
            return Loaded(corpus, False, notes(corpus, order))

        def tell(stored: Corpus) -> None:
            said = f"storing: {stored.n_documents:,} documents, MB"
            progress(_megabytes(position(stream)), megabytes, said)

        staging.stage(corpus, _placed(form, stream, corpus, order), tell)
    return Loaded(staging.finish(corpus), True, notes(corpus, order))


def _nothing(corpus: Corpus, books: Books) -> list[str]:
    return []


def document_file(path: Path) -> Path:
    """Return the file of documents: this one, or the one in this BEIR folder. Raises `BadInput`."""
    if not path.is_dir():
        return path
    for name in ("corpus.jsonl", "corpus.jsonl.gz"):
        if (path / name).is_file():
            return path / name
    raise BadInput(f"{printable(path)} holds no corpus.jsonl: a BEIR folder was expected.")


def format_of(file: Path) -> str:
    """Return the format of a file by its name. Raises `BadInput` where that does not tell it."""
    name = Path(file.name.removesuffix(".gz"))
    try:
        return _ENDINGS[name.suffix.lower()]
    except KeyError:
        raise documents.unknown_format(printable(file)) from None


def _placed(form: str, stream: IO[bytes], corpus: Corpus, books: Books) -> Iterator[Placed]:
    if form == verses.FORMAT:
        return verses.documents(stream, corpus, books)
    return ((each, _NOWHERE) for each in _documents(form, stream, corpus))


def _documents(form: str, stream: IO[bytes], corpus: Corpus) -> Iterator[ReadDocument]:
    """Yield the documents of a file, from its first line or from where an earlier loading ended."""
    name = corpus.recipe["name"]
    wrong = wrong_in(name)
    found = lines(stream, name, begin=corpus.read_to, number=corpus.read_lines)
    if form != "tsv":
        yield from FORMATS[form](found, wrong)
        return
    first = next(lines(stream, name), None)
    columns, is_head = delimited.columns_of(first, wrong) if first else ((), False)
    yield from delimited.table((line for line in found if line.number > is_head), wrong, columns)


def _megabytes(size: int) -> int:
    return -(-size // 2**20)
