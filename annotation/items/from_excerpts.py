"""A sample of the excerpts in use → items: each quotation with the critic's sentences around it.

The sample is drawn from a seed and the excerpts' digests, so the same excerpts and seed give the same items
in any database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from random import Random

from annotation.items.payloads import FileItem
from annotation.tasktypes.base import TaskType
from annotation.tasktypes.items import Quoted
from common.errors import BadInput
from retrieval.engine.text.passages import Passage
from retrieval.models import Book, Excerpt
from retrieval.models.texts import HEAVY_TEXTS

MOST = 10_000


def sample(
    task: TaskType, template: str, *, size: int, seed: int, book: Book | None = None
) -> list[FileItem]:
    """Return items of so many excerpts in use, of one book or of all, in the order in which they were drawn.

    ``template``: of the task, for what all items share. Raises `BadInput` for a size out of range, fewer
    excerpts than that, or an unknown template.
    """
    if not 1 <= size <= MOST:
        raise BadInput(f"A sample of {size:,} excerpts: use 1 to {MOST:,}.")
    shared = fields_of(task, template)
    of_book = Excerpt.objects.in_use().filter(**{"book": book} if book else {})
    keys = list(of_book.order_by("digest").values_list("pk", flat=True))
    if len(keys) < size:
        where = f"“{book.title}” has" if book else "There are"
        raise BadInput(f"{where} {len(keys):,} excerpts in use, fewer than the {size:,} asked for.")
    drawn = Random(f"{seed}:excerpts").sample(keys, size)  # noqa: S311 - not a secret
    found = Excerpt.objects.select_related("source", "book").defer(*HEAVY_TEXTS).in_bulk(drawn)
    words = wordings(found.values())
    return [item(task, found[key], words[key], shared) for key in drawn]


def item(task: TaskType, excerpt: Excerpt, words: str, shared: dict[str, object]) -> FileItem:
    """Return the item of an excerpt whose quotation has these words, with what all items share."""
    payload = task.of_excerpt(quoted(excerpt, words)) | shared
    made = {"id": f"excerpt {excerpt.digest}", "excerpt": excerpt.pk}
    return FileItem(f"excerpt {excerpt.pk}", payload, None, made)


def wordings(excerpts: Collection[Excerpt]) -> dict[int, str]:
    """Return each quotation by its excerpt's key: as the critic printed it, else as the book has it.

    One book at a time is held in memory.
    """
    words = {each.pk: each.printed for each in excerpts}
    places: defaultdict[int, list[tuple[int, Passage]]] = defaultdict(list)
    for each in excerpts:
        if not each.printed and each.gold:
            places[each.book_id].append((each.pk, each.gold))
    for book, those in places.items():
        of = Book.objects.only("text", "sentences").get(pk=book)
        words |= {pk: of.passage(*gold) for pk, gold in those}
    return words


def quoted(excerpt: Excerpt, words: str) -> Quoted:
    """Return an excerpt's quotation, in these words, where its critic has it."""
    return Quoted(
        before=" ".join(excerpt.left),
        text=words,
        after=" ".join(excerpt.right),
        language=excerpt.source.language,
        citation=excerpt.source.citation,
        book=excerpt.book.title,
    )


def fields_of(task: TaskType, template: str) -> dict[str, object]:
    """Return the fields of one of the task's templates. Raises `BadInput` with the names there are."""
    if template not in task.templates:
        known = ", ".join(task.templates)
        there = f"Choose one of: {known}." if known else f"The task “{task.slug}” has none."
        raise BadInput(f"There is no template “{template}”. {there}")
    return dict(task.templates[template].fields)
