"""Books: the list, and the novel as it is stored."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from common.lists import PAGE, count, whole_number
from common.roles import scholar_required
from retrieval.curating import aside, rules
from retrieval.engine.text.passages import Passage
from retrieval.models import Book, CandidateJob, Excerpt
from retrieval.models.texts import HEAVY, passage_address
from retrieval.texts import typesetting


class Statistics(NamedTuple):
    """Lengths of a book's sentences, in words.

    words: of all together.
    median: of a sentence.
    longest: of the longest.
    longest_at: its number, from 0.
    repeated: how many sentences stand there more than once.
    """

    words: int
    median: float
    longest: int
    longest_at: int
    repeated: int


@scholar_required
@require_safe
def books(request: HttpRequest) -> HttpResponse:
    """Show all books, with how many excerpts and jobs each has."""
    rows = Book.objects.defer(*HEAVY).annotate(
        excerpt_count=count(Excerpt.objects.in_use().filter(book=OuterRef("pk")), "book"),
        job_count=count(CandidateJob.objects.filter(book=OuterRef("pk")), "book"),
    )
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return render(request, "retrieval/books.html", {"page": page})


@scholar_required
@require_safe
def book(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a leaf of a book. `?at=3&size=2` opens the leaf of sentences 3 and 4 (from 0) and marks them."""
    found = get_object_or_404(Book, slug=slug)
    size = max(1, whole_number(request, "size") or 1)
    sentence = whole_number(request, "sentence")
    if sentence is not None:
        return redirect(passage_address(slug, min(max(sentence, 1), found.n_sentences) - 1, size))
    marked = _marked(found, whole_number(request, "at"), size)
    leaves = typesetting.leaves(found)
    number = typesetting.leaf_of(leaves, marked.first) if marked else whole_number(request, "page") or 1
    page = Paginator(leaves, 1).get_page(number)
    leaf = leaves[page.number - 1]
    chapters = typesetting.chapters(found, leaves)
    context = {
        "book": found,
        "page": page,
        "leaf": leaf,
        "marked": marked,
        "paragraphs": typesetting.leaf_paragraphs(found, leaf, marked),
        "unshown": typesetting.unshown(found, leaf),
        "chapters": chapters[: typesetting.MOST_CHAPTERS],
        "n_chapters": len(chapters),
        "statistics": statistics(found),
        "set_aside": aside.set_aside(found),
        "rules": rules.text_rules(),
        "excerpt_count": found.excerpts.in_use().count(),
        "job_count": found.jobs.count(),
    }
    return render(request, "retrieval/book.html", context)


def statistics(book: Book) -> Statistics | None:
    """Return the lengths of a book's sentences; None where it has none."""
    texts = [book.text[a:b].strip() for a, b in book.sentences]
    lengths = [len(text.split()) for text in texts]
    if not lengths:
        return None
    longest = max(lengths)
    repeated = sum(count for text, count in Counter(texts).items() if count > 1)
    return Statistics(sum(lengths), median(lengths), longest, lengths.index(longest), repeated)


def _marked(book: Book, at: int | None, size: int) -> Passage | None:
    if at is None or not 0 <= at < book.n_sentences:
        return None
    return Passage(at, min(size, book.n_sentences - at))
