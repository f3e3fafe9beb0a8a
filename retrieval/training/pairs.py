"""From the frozen row of a training to what its encoders read: contexts with their quotations, by split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from retrieval.engine.text.passages import Passage, slice_text
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.pairs import Pair, Wrong
from retrieval.models import Book, CandidateJob, Excerpt, Split, TrainingJob
from retrieval.training.plan import Plan

Negatives = Mapping[int, tuple[Wrong, ...]]


def of_split(job: TrainingJob, plan: Plan, split: Split) -> list[Pair]:
    """Return the pairs of all books of a split, one book after the other.

    Books to learn from give their critics' quotations and so many of their own sentences; the others their
    own sentences only where they have no quotation.
    """
    wrong = negatives(plan) if split == Split.TRAIN else {}
    found: list[Pair] = []
    for book in Book.objects.filter(pk__in=_keys(job, split)).order_by("pk"):
        own = quotations(book, list(job.excerpts.filter(book=book)), plan, wrong)
        if split == Split.TRAIN or not own:
            own += cloze(book, plan)
        found += own
    return found


def quotations(book: Book, excerpts: list[Excerpt], plan: Plan, wrong: Negatives) -> list[Pair]:
    """Return a pair for each excerpt of a book that has a place in it, with all contexts asked for."""
    bounds = book.bounds()
    found = []
    for each in excerpts:
        if each.gold is None:
            continue
        text = slice_text(book.text, bounds, each.gold)
        query, *others = (each.query(left, right) for left, right in plan.contexts)
        place = (each.gold.first, each.gold.size)
        found.append(Pair(book.slug, query, text, *place, wrong.get(each.pk, ()), tuple(others)))
    return found


def cloze(book: Book, plan: Plan) -> list[Pair]:
    """Return pairs of a book's own sentences in their own context, drawn from the seed.

    There are `plan.cloze` of them, or as many as the book has.
    """
    if not plan.cloze:
        return []
    bounds = book.bounds()
    before, after = (max(sides) for sides in zip(*plan.contexts, strict=True))
    possible = range(before, len(bounds) - after)
    drawn = np.random.default_rng(plan.recipe.seed).permutation(len(possible))[: plan.cloze]

    def read(first: int, size: int) -> str:
        return slice_text(book.text, bounds, Passage(first, size)) if size else ""

    found = []
    for first in (possible[at] for at in drawn.tolist()):
        query, *others = (
            f"{read(first - left, left)} {GAP} {read(first + 1, right)}" for left, right in plan.contexts
        )
        found.append(Pair(book.slug, query, read(first, 1), first, 1, (), tuple(others)))
    return found


def negatives(plan: Plan) -> Negatives:
    """Return the wrong passages that jobs found, by the key of their excerpt."""
    found: defaultdict[int, tuple[Wrong, ...]] = defaultdict(tuple)
    for pk in plan.negatives:
        job = CandidateJob.objects.select_related("book").get(pk=pk)
        bounds = job.book.bounds()
        for row in job.candidates.filter(is_gold=False).order_by("excerpt", "rank"):
            text = slice_text(job.book.text, bounds, Passage(row.first, row.size))
            found[row.excerpt_id] += (Wrong(row.first, text),)
    return found


def _keys(job: TrainingJob, split: Split) -> list[int]:
    return list(job.splits.filter(split=split).values_list("book", flat=True))
