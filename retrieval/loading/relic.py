"""Import RELiC's published file: its sentences become books, its quotes become excerpts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from django.utils.text import slugify

from common.errors import BadField, BadInput
from common.progress import Compute, Progress, here, silent
from retrieval.engine.quotations.digests import digest
from retrieval.engine.text import relic
from retrieval.engine.text.passages import Passage
from retrieval.loading import storing
from retrieval.loading.plain import in_language
from retrieval.models import Book, Excerpt, Source

CITATION = "RELiC (Thai et al. 2022)"
WHY = "RELiC's file gives this place."

_BATCH = 500
_LONGEST_ID = 200
_LONGEST_SLUG = 80
_RENAME = "rename the book in the file"
_SUFFIX = "-relic"
_SMALL = {"a", "an", "and", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"}
_WORDED = re.compile(r"[^\W_]")


class ImportedRelic(NamedTuple):
    """What an import of one book of the file came to.

    book: its row.
    source: the row that its excerpts belong to.
    created: whether the book is new.
    new: excerpts that were stored now.
    known: excerpts that were there.
    remarks: what a person should be told, in sentences.
    """

    book: Book
    source: Source
    created: bool
    new: int
    known: int
    remarks: tuple[str, ...]


def import_relic(
    data: bytes | str,
    *,
    name: str,
    author: str = "",
    progress: Progress | None = None,
    compute: Compute = here,
    also: Callable[[list[ImportedRelic]], object] | None = None,
) -> list[ImportedRelic]:
    """Store every book of a RELiC file with its quotes, all of them or none.

    The format names neither authors nor critics: `author` is written to every
    new book, and each book gets one source `<slug>-relic` without a text. `also`
    is called with the result, in its transaction.

    Raises:
        BadInput: one sentence naming the file, book and quote; nothing is stored.
    """
    tell = progress or silent
    tell(0, 1, "reading")
    pairs = [
        (_book(parsed, slug, author, _where(name, parsed), compute), parsed)
        for slug, parsed in _by_slug(compute(relic.parse, data, name), name).items()
    ]

    def store() -> list[ImportedRelic]:
        done = []
        for number, (book, parsed) in enumerate(pairs):
            tell(number, len(pairs), book.slug)
            done.append(_store(book, parsed, _where(name, parsed)))
        tell(len(pairs), len(pairs), "storing")
        return done

    return storing.write(store, also)


def _where(name: str, parsed: relic.RelicBook) -> str:
    return f"{name}: book {parsed.title!r}"


def _by_slug(books: dict[str, relic.RelicBook], name: str) -> dict[str, relic.RelicBook]:
    found: dict[str, relic.RelicBook] = {}
    for title, book in books.items():
        limit = _LONGEST_SLUG - len(_SUFFIX)
        slug = slugify(title.replace("_", " "))[:limit].strip("-")
        if not slug:
            raise BadInput(
                f"{name}: the title {title!r} makes no slug; it needs a letter from a to z or a digit."
            )
        if slug in found:
            raise BadInput(
                f'{name}: {found[slug].title!r} and {title!r} make the same slug "{slug}"; rename one.'
            )
        found[slug] = book
    return found


def _book(parsed: relic.RelicBook, slug: str, author: str, where: str, compute: Compute) -> Book:
    text, bounds = relic.join(parsed.sentences)
    if not _WORDED.search(text):
        raise BadInput(f'{where}, "sentences": none of them has a word; a book has at least one that does.')
    book = Book(slug=slug, title=_title(parsed.title), author=author or "Unknown", text=text)
    in_language(text, book.language, where, compute)
    book.sha256 = storing.sha256(text)
    book.sentences = [list(pair) for pair in bounds]
    book.n_sentences = len(bounds)
    book.notes = ["The sentences are RELiC's own, from its published file."]
    try:
        storing.check_facts(book)
    except BadField as error:
        if error.field == "author":
            raise
        raise BadInput(f"{where}: {error}") from None
    return book


def _title(written: str) -> str:
    """Return the title as written; one in small letters and underscores gets capitals."""
    words = written.replace("_", " ").split()
    if written != written.lower():
        return " ".join(words)
    return " ".join(
        word if place and word in _SMALL else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )


def _store(book: Book, parsed: relic.RelicBook, where: str) -> ImportedRelic:
    kept, created, remarks = storing.store(book, where, _RENAME)
    if kept.sentences != book.sentences:
        raise BadInput(
            f'{where}: the book "{kept.slug}" is already imported with other sentences; {_RENAME}.'
        )
    source = _source(kept, where)
    placed = [(key, quote, quote.passage) for key, quote in parsed.quotes.items() if quote.passage]
    made = [
        _excerpt(source, kept, key, quote, passage, where)
        for key, quote, passage in placed
        if _WORDED.search(kept.passage(*passage))
    ]
    hidden, wordless = len(parsed.quotes) - len(placed), len(placed) - len(made)
    if hidden:
        remarks += (
            f"Quotes left out because the file hides their place: {hidden:,}. To rank them: "
            "manage.py relic_submission --file.",
        )
    if wordless:
        remarks += (f"Quotes left out because their passage in the book has no words: {wordless:,}.",)
    fresh = _unknown(made, source, kept, where)
    Excerpt.objects.bulk_create(fresh, batch_size=_BATCH)
    return ImportedRelic(kept, source, created, len(fresh), len(made) - len(fresh), remarks)


def _unknown(made: list[Excerpt], source: Source, book: Book, where: str) -> list[Excerpt]:
    # Borders moved by hand made another row of the same id; the file is compared with what it brought.
    originals = source.excerpts.filter(book=book, supersedes=None)
    before = dict(originals.values_list("external_id", "digest"))
    for each in made:
        if before.get(each.external_id, each.digest) != each.digest:
            raise BadInput(
                f"{where}, quote {each.external_id!r}: this id is already imported with other content; "
                "give the quote another id."
            )
    return [each for each in made if each.external_id not in before]


def _source(book: Book, where: str) -> Source:
    source = Source(
        slug=book.slug + _SUFFIX,
        citation=CITATION,
        text="",
        sha256=storing.sha256(""),
        language=book.language,
    )
    source.notes = ["RELiC's file has the critics' sentences around each quotation, not their texts."]
    return storing.store(source, where, _RENAME)[0]


def _excerpt(
    source: Source, book: Book, key: str, quote: relic.RelicQuote, passage: Passage, where: str
) -> Excerpt:
    if len(key) > _LONGEST_ID:
        raise BadInput(
            f"{where}, quote {key[:40]!r}…: the id has {len(key)} characters; at most 200 are kept."
        )
    left = [sentence for sentence in quote.left if sentence.strip()]
    right = [sentence for sentence in quote.right if sentence.strip()]
    return Excerpt(
        source=source,
        book=book,
        left=left,
        right=right,
        first=passage.first,
        size=passage.size,
        why=WHY,
        external_id=key,
        digest=digest(source.slug, book.slug, key, passage, [left, right]),
    )
