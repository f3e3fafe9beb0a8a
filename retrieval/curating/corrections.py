"""Correct how paragraphs of a book are sorted, as long as nothing points at its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from common.errors import BadInput
from common.wording import counted
from retrieval.curating import aside
from retrieval.engine.text.corrections import corrected, segment_corrected
from retrieval.engine.text.layout import Part, parts
from retrieval.engine.text.sentences import Segmentation, segment_parts
from retrieval.models import Book


class Corrected(NamedTuple):
    """A book whose sentences were corrected.

    book: its row.
    before: how many sentences it had.
    """

    book: Book
    before: int


def correct(book: Book, changes: Mapping[int, str]) -> Corrected:
    """Sort paragraphs, named by the offset they begin at, as given, and segment the book again.

    A paragraph that gets the kind it has by the rules is no correction any more.

    Raises:
        BadInput: an excerpt or a job points at the sentences, they are not ours, no sentence would be
            left, or a change is none; nothing is changed.
    """
    with transaction.atomic():
        held = Book.objects.select_for_update().get(pk=book.pk)
        refusal = why_not(held)
        if refusal:
            raise BadInput(refusal)
        by_rule = {part.start: part.kind for part in parts(held.text, **held.reading())}
        wanted = {**dict(held.corrections), **changes}
        kept = {at: kind for at, kind in wanted.items() if by_rule.get(at) != kind}
        if kept == dict(held.corrections):
            raise BadInput("Every paragraph is what it was; nothing was changed.")
        found = segment_corrected(held.text, kept, **held.reading())
        if not found.sentences:
            raise BadInput("No sentence would be left; a book needs at least one.")
        before = held.n_sentences
        held.corrections = [[at, kept[at]] for at in sorted(kept)]
        _write(held, found)
    return Corrected(Book.objects.get(pk=book.pk), before)


def why_not(book: Book, layout: Sequence[Part] | None = None) -> str:
    """Return why the book cannot be segmented again, in a sentence; empty where it can.

    `layout` is the book's `current_layout` where the caller has it.
    """
    excerpts, jobs = book.excerpts.count(), book.jobs.count()
    if excerpts or jobs:
        return (
            f"The sentences of “{book.title}” are fixed: {counted(excerpts, 'excerpt')} and "
            f"{counted(jobs, 'job')} point at them. Import the text under another slug and correct that."
        )
    if segment_parts(book.text, layout or current_layout(book)).sentences != book.bounds():
        return (
            f"The sentences of “{book.title}” are not those the rules find in its text: they came with "
            "RELiC’s file, or from an earlier version. Import the text under another slug and correct that."
        )
    return ""


def current_layout(book: Book) -> list[Part]:
    """Return the paragraphs of the book as they are sorted now."""
    return corrected(book.text, parts(book.text, **book.reading()), dict(book.corrections))


def _write(book: Book, found: Segmentation) -> None:
    book.headings = [list(pair) for pair in found.headings]
    book.left_out = [list(part) for part in found.left_out]
    aside.record(book)
    Book.objects.filter(pk=book.pk).update(
        corrections=book.corrections,
        sentences=[list(pair) for pair in found.sentences],
        headings=book.headings,
        left_out=book.left_out,
        read_as=book.read_as,
        n_sentences=len(found.sentences),
        revision=F("revision") + 1,
    )
