"""A sample of the excerpts in use → items: each quotation with the critic's sentences around it.

The sample is drawn from a seed and the excerpts' digests, so the same excerpts and seed give the same items
in any database.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from annotation.items.payloads import FileItem
from annotation.tasktypes.base import TaskType
from annotation.tasktypes.items import Quoted
from common.errors import BadInput
from retrieval.models import Book, Excerpt

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
    found = Excerpt.objects.select_related("source", "book").in_bulk(drawn)
    return list(items(task, (found[key] for key in drawn), shared))


def items(task: TaskType, excerpts: Iterator[Excerpt], shared: dict[str, object]) -> Iterator[FileItem]:
    """Yield the item of each excerpt, with what all share."""
    for each in excerpts:
        payload = task.of_excerpt(quoted(each)) | shared
        made = {"id": f"excerpt {each.digest}", "excerpt": each.pk}
        yield FileItem(f"excerpt {each.pk}", payload, None, made)


def quoted(excerpt: Excerpt) -> Quoted:
    """Return an excerpt's quotation as the critic printed it, else as the book has it."""
    gold = excerpt.gold
    words = excerpt.printed or (excerpt.book.passage(gold.first, gold.size) if gold else "")
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
