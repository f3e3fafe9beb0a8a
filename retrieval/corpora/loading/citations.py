"""What documents of a corpus cite: from a file, or from the lines that the documents were loaded from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from common.errors import BadInput
from retrieval.corpora.models import Citation, Corpus, Document
from retrieval.engine.interchange.lines import lines, opened, printable, wrong_in
from retrieval.engine.interchange.objects import objects

BATCH = 5_000
NAMES = ("cites", "citations", "references")
"""Under which a line may list them, in the order in which they are looked for."""


class Loaded(NamedTuple):
    """What a loading came to.

    stored: citations that are known now.
    citing: documents that cite one of the corpus at least.
    elsewhere: citations of what is not in the corpus; itself and repeats are not counted.
    """

    stored: int
    citing: int
    elsewhere: int


def load(corpus: Corpus, path: Path | None = None, field: str = "") -> Loaded:
    """Store what documents cite, in place of what was known; all of it or nothing.

    Args:
        corpus: Whose documents cite each other.
        path: A file of JSON lines with `id` and a list of ids; None: the lines of the documents themselves.
        field: The name of that list; "": the first of `NAMES` that a line has.

    Raises:
        BadInput: a sentence that names the line or the field; nothing is changed.
    """
    keys = dict(corpus.documents.values_list("external_id", "pk"))
    names = (field,) if field else NAMES
    given = _of_file(path, names, keys, corpus) if path else _of_documents(corpus, names)
    elsewhere = 0
    rows: list[Citation] = []
    citing = 0
    for document, cited in given:
        found = [keys[each] for each in dict.fromkeys(cited) if each in keys and keys[each] != document]
        elsewhere += sum(each not in keys for each in dict.fromkeys(cited))
        citing += bool(found)
        rows += [Citation(citing_id=document, cited_id=each, place=n) for n, each in enumerate(found)]
    if not rows:
        where = printable(path) if path else "the lines of its documents"
        raise BadInput(
            f'Nothing in {where} names a document of "{corpus.slug}" under {" or ".join(names)}: a list of '
            "ids was expected."
        )
    with transaction.atomic():
        Citation.objects.filter(citing__corpus=corpus).delete()
        Citation.objects.bulk_create(rows, batch_size=BATCH)
    return Loaded(len(rows), citing, elsewhere)


def _of_documents(corpus: Corpus, names: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    rows = Document.objects.filter(corpus=corpus).order_by("number")
    for key, name, extra in rows.values_list("pk", "external_id", "extra").iterator(chunk_size=BATCH):
        listed: Any = next((extra[each] for each in names if each in extra), [])
        if not isinstance(listed, list):
            raise BadInput(f"The document {name} cites {str(listed)[:60]!r}; a list of ids was expected.")
        yield key, [str(each) for each in listed]


def _of_file(
    path: Path, names: tuple[str, ...], keys: dict[str, int], corpus: Corpus
) -> Iterator[tuple[int, list[str]]]:
    name = printable(path)
    seen: set[str] = set()
    with opened(path) as stream:
        for row in objects(lines(stream, name), wrong_in(name)):
            document = row.id("id", "_id", "corpusid")
            if document not in keys:
                raise row.wrong(f'the document {document!r} is not in the corpus "{corpus.slug}".')
            if document in seen:
                raise row.wrong(f"the document {document!r} is given twice.")
            seen.add(document)
            listed: Iterable[Any] = chain.from_iterable(row.values(each) for each in names if row.has(each))
            yield keys[document], [str(each) for each in listed]
