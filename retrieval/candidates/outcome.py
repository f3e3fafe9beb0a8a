"""What a candidate job computed, for people: its first candidates, its counts, its parameters."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.candidates import matching_costs, pooling, sizes
from retrieval.candidates.choosing import TOO_FEW
from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.models import Book, Candidate, CandidateJob, Excerpt, WordKind

SHOWN = 5
"""Excerpts in the preview."""
OPTIONS = 6
"""Candidates of each: of a pool, so many that an excerpt can be taken in at a glance."""
DEALT = ("length", "context")
"""The rules of matching that deal something out."""
LEARNED = ", trained on this book’s quotations: their ranks are no result"
RULES = {
    "gold": "is the right passage",
    "overlap": "overlaps the right passage",
    "no_words": "has no words",
    "gold_words": "repeats the right passage’s words",
    "context_words": "stands in the critic’s context",
    "near_duplicate": "repeats a negative already chosen",
}


class ShownCandidate(NamedTuple):
    """A candidate with its words.

    candidate: its row.
    score: by the job's ranker, None where it has none.
    text: the passage as the book prints it.
    """

    candidate: Candidate
    score: float | None
    text: str


class ExcerptPreview(NamedTuple):
    """An excerpt as the job saw it, with its first candidates.

    excerpt: its row.
    left, right: the critic's sentences before and after the gap that the job reads.
    options: candidates by rank; of a pool the first, and the gold.
    more: how many candidates of a pool are not shown.
    """

    excerpt: Excerpt
    left: list[str]
    right: list[str]
    options: list[ShownCandidate]
    more: int


def n_ready(job: CandidateJob) -> int:
    """Count the excerpts of the preview that can be shown now, without reading the book."""
    return len(_first(job))


def preview(job: CandidateJob, book: Book) -> list[ExcerptPreview]:
    """Return the first excerpts that have candidates. `book` is the job's, with its text."""
    keys = _first(job)
    excerpts = Excerpt.objects.select_related("source").defer("source__text", "source__notes").in_bulk(keys)
    rows = job.candidates.filter(excerpt__in=keys).order_by("excerpt", "rank")
    bounds = book.bounds()
    options: dict[int, list[ShownCandidate]] = {key: [] for key in keys}
    more = Counter[int]()
    for row in rows:
        if not row.is_gold and sum(not each.candidate.is_gold for each in options[row.excerpt_id]) == OPTIONS:
            more[row.excerpt_id] += 1
            continue
        text = passages.slice_text(book.text, bounds, Passage(row.first, row.size))
        options[row.excerpt_id].append(ShownCandidate(row, row.scores.get(job.ranker), text))
    left, right = job.parameters.get("left", 4), job.parameters.get("right", 4)
    return [
        ExcerptPreview(
            excerpts[key],
            excerpts[key].left[-left:] if left else [],
            excerpts[key].right[:right],
            options[key],
            more[key],
        )
        for key in keys
    ]


def exclusions(job: CandidateJob) -> list[tuple[str, int]]:
    """Count the passages that ranked high enough and were left out, by rule."""
    return [(label, job.counts[rule]) for rule, label in RULES.items() if job.counts.get(rule)]


def n_short(job: CandidateJob) -> int:
    """Count the excerpts with fewer candidates than were asked for."""
    return int(job.counts.get(TOO_FEW, 0))


def parameters_in_words(job: CandidateJob) -> list[tuple[str, str]]:
    """Return the frozen parameters as labels and values."""
    given = dict(job.parameters)
    rules = given.pop("rules", {})
    size = given.pop("size", None)
    pool = given.pop("pool", None)
    matched = given.pop("matching", None)
    number = given.pop("negatives", "")
    switched = [RULES[rule] for rule, on in rules.items() if rule in RULES and on]
    return [
        *(_pool(job, pool, number) if pool else [("Negatives", f"{number} for each excerpt")]),
        *([("Negatives look like the right passage in", _matched(matched))] if matched else []),
        *([("Places drawn from seed", str(job.seed))] if matched and any(map(matched.get, DEALT)) else []),
        ("Passages", f"of {sizes.in_words(size)}"),
        ("Context", f"{given.pop('left', '')} sentences before, {given.pop('right', '')} after"),
        *((name, _in_words(name, value)) for name, value in given.items() if value != ""),
        ("Left out is what", "; ".join(switched) or "breaks no rule: all are switched off"),
        *((("Quotes the context in", f"{rules['run']} words in a row"),) if "run" in rules else ()),
    ]


def _matched(given: dict[str, Any]) -> str:
    names = [name.lower() for rule, name in matching_costs.RULES.items() if given.get(rule)]
    if not names:
        return "nothing: they are the ranker’s best"
    band = f" (each in a band of its own, {given['band']:g} times as long at its end)"
    return "; ".join(f"{name}{band}" if name == "length" else name for name in names)


def checkpoints_in_words(job: CandidateJob) -> list[tuple[str, str]]:
    """Return each checkpoint the job ranks with, as pages name it, and its sha256.

    One that learned this book's quotations is said to have: it ranks what it knows by heart.
    """
    return [
        (checkpoints.display_name(name) + (LEARNED if _learned(job, name) else ""), sha256)
        for name, sha256 in pooling.checkpoint_digests(job).items()
    ]


def words_in_words(job: CandidateJob) -> list[tuple[str, str]]:
    """Return each table of words the job ranks with, as pages name it, and its sha256."""
    found = []
    for key, sha256 in sorted(job.words.items()):
        kind, _, slug = key.partition("/")
        found.append((f"{WordKind(kind).label} {slug}", sha256))
    return found


def _learned(job: CandidateJob, name: str) -> bool:
    model = checkpoints.get_or_none(name)
    card = model.card if model else {}
    taught = [each["slug"] for each in card.get("trained_on", {}).get("books", ())]
    return bool(card.get("quotations", True)) and job.book.slug in taught


def _in_words(name: str, value: Any) -> str:
    if name == checkpoints.KIND:
        return checkpoints.display_name(str(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _pool(job: CandidateJob, pool: dict[str, Any], number: int) -> list[tuple[str, str]]:
    rankings = pooling.fusion_in_words(job)
    how = {"rrf": "by reciprocal ranks", "alternating": "by turns"}[pool["method"]]
    return [
        ("Pool", f"{pool['size']} passages for each excerpt, the right one among them"),
        *([("Fused", f"{how}, of {'; '.join(rankings)}")] if rankings else []),
        ("Order", f"drawn from seed {job.seed} when the pools are exported"),
        ("A choice study takes", f"the right passage and the {number} best of the others"),
    ]


def ranker_label(slug: str) -> str:
    """Return the ranker's name, or its slug where this installation does not know it."""
    try:
        return rankers.get(slug).label
    except BadInput:
        return slug


def _first(job: CandidateJob) -> list[int]:
    keys = job.candidates.order_by("excerpt").values_list("excerpt", flat=True).distinct()
    return list(keys[:SHOWN])
