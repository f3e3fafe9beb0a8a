"""A corpus while it is loaded: its rows are here, and nobody sees them until all are.

What is wrong in a file removes all that was staged of it. What only interrupts, such as Ctrl-C or a power
cut, leaves it: the same command goes on behind the last batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, F

from common.errors import BadField, BadInput
from retrieval.corpora.models import Corpus, Document, State
from retrieval.engine.interchange.documents import ReadDocument
from retrieval.engine.interchange.lines import wrong_in
from retrieval.loading.storing import check_fields, check_language

FACTS = ("slug", "title", "language", "source", "licence")
"""Fields of a corpus that a person gives."""
BATCH = 2_000
"""Documents stored at once."""
LEFT_OUT = "left out"
"""What a recipe says of documents without title and text where they are not refused."""
EMPTY_TOLD = 20
"""Lines of such documents that are kept."""
BATCH_CHARACTERS = 4 * 2**20
"""Characters stored at once: where documents are long, fewer of them."""


class Place(NamedTuple):
    """Where a document comes from, beside its line.

    book: key of the book whose text it is; None where it is of no book here.
    start, end: offsets into the text of that book; None without one.
    number: of the document in its corpus; None: its place in the file.
    """

    book: int | None = None
    start: int | None = None
    end: int | None = None
    number: int | None = None


Placed = tuple[ReadDocument, Place]


class Overtaken(BadInput):
    """Somebody else loads the same corpus: what they staged is theirs."""


def begin(corpus: Corpus) -> tuple[Corpus, bool]:
    """Begin a corpus, or find it as far as it is: return it, and whether it is ready already.

    Args:
        corpus: Not saved yet; its facts, its recipe and its sha256 are set.

    Raises:
        BadField: a fact is wrong, or the slug is taken by other documents.
        Overtaken: somebody else began it in this moment.
    """
    check_fields(corpus, FACTS)
    check_language(corpus.language)
    known = Corpus.objects.filter(slug=corpus.slug).first()
    if known is None:
        try:
            with transaction.atomic():
                corpus.save(force_insert=True)
        except IntegrityError:
            raise _overtaken(corpus) from None
        return corpus, False
    if (known.sha256, known.recipe) == (corpus.sha256, corpus.recipe):
        return known, known.state == State.READY
    if known.state == State.READY:
        raise BadField(
            "slug",
            f'The corpus "{known.slug}" is loaded already with other documents ({known}); choose '
            "another slug.",
        )
    raise BadField(
        "slug",
        f'The corpus "{known.slug}" is being loaded from {known.recipe.get("name") or "other texts"}, and '
        f"{known.n_documents:,} of its documents are staged: finish that, or remove them (--discard).",
    )


def discard(slug: str) -> int:
    """Remove what is staged of a corpus that was never finished; return how many documents that were.

    Raises:
        BadField: there is no such corpus, or it is ready.
    """
    corpus = Corpus.objects.filter(slug=slug, state=State.LOADING).first()
    if corpus is None:
        raise BadField("slug", f'No corpus "{slug}" is being loaded.')
    return _remove(corpus)


def stage(corpus: Corpus, documents: Iterable[Placed], tell: Callable[[Corpus], object]) -> None:
    """Store the documents of a corpus that is being loaded, batch by batch, behind those that are there.

    Args:
        corpus: As `begin` returned it.
        documents: What is not staged yet, in order.
        tell: Called with the corpus after each batch.

    Raises:
        BadInput: a document is wrong, or has the id of another; all that was staged is removed.
    """
    try:
        for batch in _batches(documents):
            _store(corpus, batch)
            tell(corpus)
        if not corpus.n_documents:
            raise BadInput(f"{corpus.recipe['name']} holds no document; one at least was expected.")
    except Overtaken:
        raise
    except BadInput:
        _remove(corpus)
        raise


def finish(corpus: Corpus) -> Corpus:
    """Make a corpus whose documents are all staged ready: from now on it is seen."""
    found = corpus.documents.aggregate(texts=Count("digest", distinct=True))
    corpus.n_equal = corpus.n_documents - found["texts"]
    corpus.state = State.READY
    corpus.save(update_fields=["n_equal", "state"])
    return corpus


def _batches(documents: Iterable[Placed]) -> Iterator[list[Placed]]:
    batch: list[Placed] = []
    characters = 0
    for each in documents:
        batch.append(each)
        characters += len(each[0].text)
        if len(batch) == BATCH or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _store(corpus: Corpus, batch: Sequence[Placed]) -> None:
    """Store a batch with how far it brings us, in one transaction, unless somebody else was faster."""
    first, last = corpus.n_documents, batch[-1][0]
    empty = [document.line for document, _ in batch if document.is_empty]
    _check_empty(corpus, empty)
    batch = [each for each in batch if not each[0].is_empty]
    words = sum(len(document.text.split()) for document, _ in batch)
    told = (corpus.empty_lines + empty)[:EMPTY_TOLD]
    try:
        with transaction.atomic():
            # Lines, too: a batch of nothing but empty documents leaves their number as it is.
            still = Corpus.objects.filter(
                pk=corpus.pk, state=State.LOADING, n_documents=first, read_lines=corpus.read_lines
            )
            held = still.update(
                n_documents=first + len(batch),
                n_words=F("n_words") + words,
                n_empty=F("n_empty") + len(empty),
                empty_lines=told,
                read_to=last.end,
                read_lines=last.last,
            )
            if not held:
                raise _overtaken(corpus)
            _check_ids(corpus, [document for document, _ in batch])
            Document.objects.bulk_create(_row(corpus, first + n, *each) for n, each in enumerate(batch))
    except IntegrityError:
        raise _overtaken(corpus) from None
    corpus.n_documents, corpus.n_words = first + len(batch), corpus.n_words + words
    corpus.read_to, corpus.read_lines = last.end, last.last
    corpus.n_empty, corpus.empty_lines = corpus.n_empty + len(empty), told


def _check_empty(corpus: Corpus, lines: Sequence[int]) -> None:
    if lines and corpus.recipe.get("empty") != LEFT_OUT:
        raise wrong_in(corpus.recipe["name"])(
            lines[0],
            "the document has neither title nor text; give it one, or leave all such documents out "
            "(--leave-out-empty).",
        )


def _overtaken(corpus: Corpus) -> Overtaken:
    return Overtaken(
        f'The corpus "{corpus.slug}" is being loaded by somebody else too; wait until that has ended.'
    )


def _check_ids(corpus: Corpus, batch: Sequence[ReadDocument]) -> None:
    wrong = wrong_in(corpus.recipe["name"])
    seen: dict[str, int] = {}
    for each in batch:
        if each.external_id in seen:
            raise wrong(each.line, _twice(each.external_id, f"first on line {seen[each.external_id]:,}"))
        seen[each.external_id] = each.line
    known = corpus.documents.filter(external_id__in=seen).order_by("number").first()
    if known:
        where = f"it is the file's document {known.number + 1:,} already"
        raise wrong(seen[known.external_id], _twice(known.external_id, where))


def _twice(external_id: str, where: str) -> str:
    return f"the id {external_id!r} is given twice; {where}. Each document needs an id of its own."


def _row(corpus: Corpus, number: int, document: ReadDocument, place: Place) -> Document:
    return Document(
        corpus=corpus,
        number=number if place.number is None else place.number,
        external_id=document.external_id,
        title=document.title,
        text=document.text,
        lemmata=document.lemmata,
        genre=document.genre,
        year=document.year,
        language=document.language,
        source_key=document.source_key,
        book_id=place.book,
        start=place.start,
        end=place.end,
        extra=document.extra,
        digest=_digest(document),
    )


def _digest(document: ReadDocument) -> str:
    digest = hashlib.sha256(f"{document.title}\0{document.text}".encode())
    return digest.hexdigest()[: Document._meta.get_field("digest").max_length]


def _remove(corpus: Corpus) -> int:
    with transaction.atomic():
        documents = corpus.documents.all()
        removed = documents._raw_delete(documents.db)
        corpus.delete()
    return int(removed)
