"""What a job computed, for a person to look at: its first candidates, its tally, what it was made with."""

from __future__ import annotations

from typing import NamedTuple

from retrieval import pipeline
from retrieval.engine import passages, rankers
from retrieval.engine.errors import BadInput
from retrieval.engine.passages import Passage
from retrieval.models import Book, Candidate, CandidateJob, Excerpt

SHOWN = 5
"""Excerpts in the preview."""
RULES = {
    "gold": "is the right passage",
    "overlap": "overlaps the right passage",
    "no_words": "has no words",
    "gold_words": "repeats the right passage's words",
    "context_words": "stands in the critic's context",
    "near_duplicate": "repeats a negative already chosen",
}


class Option(NamedTuple):
    """A candidate with its words; `score` is the job's ranker's."""

    candidate: Candidate
    score: float | None
    text: str


class Shown(NamedTuple):
    """An excerpt as the job saw it, and its candidates by rank."""

    excerpt: Excerpt
    left: list[str]
    right: list[str]
    options: list[Option]


def ready(job: CandidateJob) -> int:
    """How many excerpts of the preview can be shown, without reading the book."""
    return len(_first(job))


def preview(job: CandidateJob, book: Book) -> list[Shown]:
    """The first excerpts that have candidates. `book` is the job's, with its text."""
    keys = _first(job)
    excerpts = Excerpt.objects.select_related("source").defer("source__text", "source__notes").in_bulk(keys)
    rows = job.candidates.filter(excerpt__in=keys).order_by("excerpt", "rank")
    bounds = book.bounds()
    options: dict[int, list[Option]] = {key: [] for key in keys}
    for row in rows:
        text = passages.slice_text(book.text, bounds, Passage(row.first, row.size))
        options[row.excerpt_id].append(Option(row, row.scores.get(job.ranker), text))
    left, right = job.parameters.get("left", 4), job.parameters.get("right", 4)
    return [
        Shown(
            excerpts[key],
            excerpts[key].left[-left:] if left else [],
            excerpts[key].right[:right],
            options[key],
        )
        for key in keys
    ]


def exclusions(job: CandidateJob) -> list[tuple[str, int]]:
    """Passages ranked high enough and left out, by rule."""
    return [(label, job.counts[rule]) for rule, label in RULES.items() if job.counts.get(rule)]


def short(job: CandidateJob) -> int:
    """Excerpts with fewer negatives than asked for."""
    return int(job.counts.get(pipeline.TOO_FEW, 0))


def asked(job: CandidateJob) -> list[tuple[str, str]]:
    """The frozen parameters, in words."""
    given = dict(job.parameters)
    rules = given.pop("rules", {})
    size = given.pop("size", None)
    switched = [RULES[rule] for rule, on in rules.items() if rule in RULES and on]
    return [
        ("Negatives", f"{given.pop('negatives', '')} for each excerpt"),
        ("Passages", "of every length that occurs" if size is None else f"of {size} sentence(s)"),
        ("Context", f"{given.pop('left', '')} sentences before, {given.pop('right', '')} after"),
        *((name, f"{value:g}" if isinstance(value, float) else str(value)) for name, value in given.items()),
        ("Left out is what", "; ".join(switched) or "breaks no rule: all are switched off"),
        *((("Quotes the context in", f"{rules['run']} words in a row"),) if "run" in rules else ()),
    ]


def ranker_label(slug: str) -> str:
    """The ranker's name, or its slug where this installation does not know it."""
    try:
        return rankers.get(slug).label
    except BadInput:
        return slug


def _first(job: CandidateJob) -> list[int]:
    keys = job.candidates.order_by("excerpt").values_list("excerpt", flat=True).distinct()
    return list(keys[:SHOWN])
