"""Candidate pools as files: queries with their passages, and apart from them which passage is right.

As BIRCO (2024) and TREC do: who ranks the pools gets the first file, who scores the rankings the second.
Nothing in the first tells the right passage from the others: the order is drawn from the job's seed, and a
passage is named by its place in the book.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.ranking import pools
from retrieval.engine.text.passages import Passage, slice_text
from retrieval.models import Book, Candidate, CandidateJob, Excerpt, Status

MASK = "[masked quotation]"
AT_ONCE = 200
NAME = 16
"""Digits of an excerpt's digest: the same name for the same excerpt in every database."""


class ExportedQuery(NamedTuple):
    """One query of the files.

    line: the query with its passages, as JSON on one line.
    qrel: its line of TREC qrels, which names the right passage.
    """

    line: str
    qrel: str


def export_pools(job: CandidateJob) -> Iterator[ExportedQuery]:
    """Yield the pools of a finished job by excerpt, some in memory at a time.

    Raises:
        BadInput: the job makes no pools, or is not done.
    """
    if not job.parameters.get("pool"):
        raise BadInput(f"Job {job.pk} keeps negatives and no pools; make some with generate --pool 50.")
    if job.status != Status.DONE:
        state = job.get_status_display().lower()
        raise BadInput(f"Job {job.pk} is not done but {state}; its pools can be exported when it is done.")
    return _exported(job)


def _exported(job: CandidateJob) -> Iterator[ExportedQuery]:
    book = job.book
    bounds = book.bounds()
    keys = list(job.excerpts.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        found: dict[int, list[Candidate]] = {}
        for row in job.candidates.filter(excerpt__in=some).order_by("excerpt", "-is_gold", "rank"):
            found.setdefault(row.excerpt_id, []).append(row)
        excerpts = Excerpt.objects.in_bulk(found)
        for key, rows in found.items():
            yield _one(job, book, bounds, excerpts[key], rows)


def _one(
    job: CandidateJob,
    book: Book,
    bounds: list[tuple[int, int]],
    excerpt: Excerpt,
    rows: list[Candidate],
) -> ExportedQuery:
    asked, name = job.parameters, excerpt.digest[:NAME]
    shown = pools.draw(rows, f"{job.seed}:{excerpt.digest}")
    parts = (excerpt.context(asked["left"], 0), MASK, excerpt.context(0, asked["right"]))
    query: dict[str, Any] = {
        "id": name,
        "query": " ".join(part for part in parts if part),
        "book": book.slug,
        "passages": [
            {"id": _name(book, row), "text": slice_text(book.text, bounds, Passage(row.first, row.size))}
            for row in shown
        ],
    }
    (gold,) = [row for row in rows if row.is_gold]
    return ExportedQuery(json.dumps(query, ensure_ascii=False), f"{name} 0 {_name(book, gold)} 1")


def _name(book: Book, row: Candidate) -> str:
    return f"{book.slug}-{row.first}-{row.size}"
