"""The items of a choice with what may make them hard, and who chose what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2
from typing import Any, NamedTuple

import numpy as np

from annotation.models import Judgment, Outcome, Study
from annotation.models.machine import MachineReading, ReadingState
from common.texts import surface
from evaluation.kinds.answers import read_readers, work_items
from evaluation.kinds.base import seed_of
from retrieval.candidates.pooling import RANKS
from retrieval.models import CandidateJob

MOST_ITEMS = 1_000
"""Items whose texts are read; of more, so many are drawn by the study's seed."""
AT_ONCE = 2_000


class Passage(NamedTuple):
    """An option of an item.

    text: its words.
    n_words: how many.
    overlap: share of its different words that stand in the criticism round the gap.
    rank: as its ranker had it; None where that is not known.
    ranker: which one brought it, empty where that is not known.
    """

    text: str
    n_words: int
    overlap: float
    rank: int | None
    ranker: str


class Gap(NamedTuple):
    """An item.

    key, number: its primary key, and its number in the study.
    gold: the canonical number of the right option.
    passages: its options, in canonical order.
    context: words of criticism round the gap.
    """

    key: int
    number: int
    gold: int
    passages: tuple[Passage, ...]
    context: int


class Chosen(NamedTuple):
    """One answer: by whom (a pseudonym), to which item, which option; whether a machine gave it."""

    who: str
    item: int
    option: int
    machine: bool


class Hard(NamedTuple):
    """All that is looked at.

    items: with gold, at most MOST_ITEMS; n_left_out: further ones.
    answers: to these items.
    """

    items: dict[int, Gap]
    n_left_out: int
    answers: list[Chosen]


def read(study: Study) -> Hard:
    """Read the items with gold of a choice, and everybody's current answers to them."""
    keys = np.fromiter(work_items(study).exclude(gold_1=None).values_list("pk", flat=True), dtype=np.int64)
    drawn = keys
    if len(keys) > MOST_ITEMS:
        drawn = np.sort(np.random.default_rng(seed_of(study)).choice(keys, MOST_ITEMS, replace=False))
    items = {each.key: each for each in gaps(study, drawn.tolist())}
    answers = [each for each in (*people(study), *machines(study)) if each.item in items]
    return Hard(items, len(keys) - len(drawn), answers)


def gaps(study: Study, keys: list[int]) -> Iterator[Gap]:
    """Yield the items of these keys in the order of their numbers."""
    made_by = work_items(study).order_by().values_list("provenance__job", flat=True).distinct()
    jobs = [job for job in made_by if isinstance(job, int)]
    rankers = dict(CandidateJob.objects.filter(pk__in=jobs).values_list("pk", "ranker"))
    columns = ("pk", "number", "payload", "gold_1", "provenance")
    rows = work_items(study).filter(pk__in=keys).values_list(*columns)
    for key, number, payload, gold, made in rows.iterator(500):
        context = surface.words(study.task_type.context(payload))
        own, origins = frozenset(context), made.get("options") or []
        ranker = rankers.get(made.get("job"), "")
        passages = tuple(
            passage(text, own, origins[at] if at < len(origins) else {}, ranker)
            for at, text in enumerate(study.task_type.options(payload))
        )
        yield Gap(key, number, int(gold), passages, len(context))


def passage(text: str, context: frozenset[str], origin: Mapping[str, Any], ranker: str) -> Passage:
    """Return an option with what is known of it; of a pool, the ranker that ranked it best brought it."""
    ranks = origin.get("scores", {}).get(RANKS) or {}
    known = {name: rank for name, rank in ranks.items() if rank is not None}
    by = min(known, key=lambda name: (known[name], name)) if known else ranker
    words = surface.words(text)
    return Passage(text, len(words), surface.shared(text, context), origin.get("rank"), by)


def people(study: Study) -> Iterator[Chosen]:
    """Yield the current answers of the study's readers."""
    readers = {each.key: each.pseudonym for each in read_readers(study)}
    current = Judgment.objects.current_of(list(readers)).filter(outcome=Outcome.ANSWER)
    for who, item, option in current.values_list("annotator", "item", "number_1").iterator(AT_ONCE):
        if option is not None:
            yield Chosen(readers[who], item, option, machine=False)


def machines(study: Study) -> Iterator[Chosen]:
    """Yield the first answers of its machine readers."""
    rows = MachineReading.objects.filter(
        reader__study=study, replicate=0, order=0, state=ReadingState.ANSWERED
    ).order_by("reader", "item")
    for who, item, option in rows.values_list("reader__name", "item", "number_1").iterator(AT_ONCE):
        if option is not None:
            yield Chosen(who, item, option, machine=True)


def features(each: Gap) -> dict[str, float | None]:
    """Return what may make an item hard, each in the unit that its name says; None where it is not known."""
    gold = each.passages[each.gold]
    wrong = [one.overlap for at, one in enumerate(each.passages) if at != each.gold]
    return {
        "criticism, a doubling of its words": log2(max(1, each.context)),
        "quotation, a doubling of its words": log2(max(1, gold.n_words)),
        "rank of the right passage, a doubling": None if gold.rank is None else log2(gold.rank),
        "overlap of the right passage, 10 points": 10 * gold.overlap,
        "highest overlap of a wrong one, 10 points": 10 * max(wrong, default=0.0),
    }
