"""What matching cost a job in rank: of its negatives with and without, and by each rule alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from common.tables.table import Cell, Column, Row, Table, table, tally
from common.wording import counted
from retrieval.candidates.waiting import Stored, Waiting
from retrieval.engine.ranking import matching, places
from retrieval.engine.ranking.matching import Matching
from retrieval.models import CandidateJob

COUNTED = "matching"
"""Where a job's counts say what matching cost."""
RULES = {
    "length": "Length",
    "case": "First letter",
    "mark": "Opening mark",
    "dialogue": "Speech or narration",
    "ending": "Ending",
    "context": "Words of the context",
    "reuse": "Not in other items",
    "balance": "Balance over the job",
}
KEPT = {
    "place": "The gold’s place in the order of length is as dealt out",
    "band": "Every option’s length in its own band",
    "case": "All begin alike: capital or small letter",
    "mark": "All open with a quotation mark, or none does",
    "dialogue": "All are speech, or none is",
    "ending": "All end as a sentence does, or none does",
    "context": "The gold’s place in the order of words shared with the context is as dealt out",
    "reuse": "No wrong option stands in another item",
}


class Costs(NamedTuple):
    """What matching cost a job.

    ranks: median and mean over the excerpts of the mean rank of their negatives, by how these are chosen.
    kept: for how many excerpts each rule holds.
    """

    sentence: str
    ranks: Table
    kept: Table


def reckon(
    job: CandidateJob,
    rule: Matching,
    found: Sequence[Waiting],
    chosen: Sequence[Stored],
) -> dict[str, Any]:
    """Return the numbers as a job's counts hold them, `chosen` being what each excerpt got.

    What length alone costs is dealt out for itself: another rule beside it changes who pays least for which.
    """
    kept = Counter(name for each in chosen for name in each.kept)
    alone = {}
    for name, by in rule.alone().items():
        entries = [each.entry._replace(offers=each.alone[name]) for each in found]
        cells = matching.cells(by, job.parameters["negatives"])
        theirs = places.deal(entries, cells, job.seed)
        alone[name] = _middle([entry.offers[at].ranks for entry, at in zip(entries, theirs, strict=True)])
    return {
        "excerpts": len(found),
        "best": _middle([each.best for each in found]),
        "matched": _middle([each.ranks for each in chosen]),
        "alone": alone,
        "kept": {name: kept[name] for name in reversed(rule.rules())},
    }


def of_job(job: CandidateJob) -> Costs | None:
    """Return what matching cost a job, in words; None where nothing was matched."""
    known = job.counts.get(COUNTED)
    if not known:
        return None
    rows = [("The ranker’s best", known["best"]), ("Matched", known["matched"])]
    rows += [(f"{RULES[name]} alone", known["alone"][name]) for name in RULES if name in known["alone"]]
    ranks = table(
        (Column("negatives", "Negatives", numeric=False), Column("median", "Median"), Column("mean", "Mean")),
        [
            Row((Cell(name, name), *(_rank(each[which]) for which in ("median", "mean"))))
            for name, each in rows
        ],
        caption="What it costs: the mean rank of an excerpt’s negatives",
    )
    kept = tally(
        Column("rule", "Rule", numeric=False),
        ((words, known["kept"][name]) for name, words in KEPT.items() if name in known["kept"]),
        counted="Excerpts",
        caption=f"For how many of {counted(known['excerpts'], 'excerpt')} each rule holds; where one "
        "does not, the book has no such passages among the first thousand",
    )
    return Costs(sentence(known), ranks, kept)


def _rank(value: float) -> Cell:
    return Cell(f"{value:,.1f}", value)


def sentence(known: dict[str, Any]) -> str:
    """Return what matching cost, in a sentence or two, from a job's counts."""
    whole = min(known["kept"].values(), default=0)
    return (
        "Wrong options look like the right one: the mean rank of an excerpt’s is "
        f"{known['matched']['median']:g} in the median, where that of the ranker’s best is "
        f"{known['best']['median']:g}. "
        f"Every rule holds for {whole:,} of {counted(known['excerpts'], 'excerpt')}."
    )


def _middle(ranks: Sequence[Sequence[int]]) -> dict[str, float]:
    means = [fmean(each) for each in ranks if len(each)]
    if not means:
        return {"median": 0.0, "mean": 0.0}
    return {"median": round(median(means), 1), "mean": round(fmean(means), 1)}
