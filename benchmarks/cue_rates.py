"""How often the cue audit's intervals leave chance out, over many draws of the places: off and matched.

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.cue_rates
        [--seeds N] [--passages N] [--without RULE]

Three sets of items of three options by BM25, a job a novel: what three critics quote of five novels by
Austen; the same with the project's own novel and its four essays, six novels together; and a generated study
of six novels. In that a passage stands for a quotation that is drawn of those that the critics make, of at
most five sentences: of 200 passages of as many sentences the one most like it in length, punctuation, first
letter, opening mark, ending and speech, its context the four sentences either way.

A draw of chance alone leaves chance out of an interval of 95 % about once in twenty. Printed are, by reader,
the mean of what it gets right, and in how many of the draws its interval lies above chance or below.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from benchmarks.austen_ranks import NOVELS, Novel, _read, real_texts
from benchmarks.matched import NEGATIVES, Query, Ranked, ranked
from common.texts.surface import marks, reads
from evaluation.metrics.cues.readers import CueResult, audit
from evaluation.metrics.cues.surface import CueItem, surface
from retrieval.engine.quotations import finding
from retrieval.engine.quotations.finding import Quotation
from retrieval.engine.ranking import places, reuse
from retrieval.engine.ranking.matching import ALTERNATIVES, OFF, SWITCHES, Matching, cells
from retrieval.engine.ranking.shelf import Choice
from retrieval.engine.ranking.surface import surface as seen
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.sentences import segment

SAMPLE = Path(__file__).parents[1] / "variorum" / "sample"
LONGEST = 5
TRIED = 200


class Quoted(NamedTuple):
    """A novel in sentences, and what critics quote of it."""

    slug: str
    text: str
    bounds: Sequence[tuple[int, int]]
    quoted: Sequence[Quotation]

    def texts(self, size: int) -> Sequence[str]:
        return passages.texts(self.text, self.bounds, size)


class Prepared(NamedTuple):
    """An excerpt with its choices for each cell."""

    query: Query
    ranked: Ranked
    choices: Sequence[Sequence[Choice]]


def own_novel() -> Quoted:
    """The project's own novel, and what its four essays quote of it."""
    text = _read(SAMPLE / "the_stand_of_the_tide.txt")
    bounds = segment(text).sentences
    essays = sorted(SAMPLE.glob("essay_*.txt"))
    return Quoted(
        "tide", text, bounds, [q for e in essays for q in finding.find(_read(e), text, bounds).found]
    )


def as_quoted(novel: Quoted) -> list[Query]:
    return [Query(Passage(each.first, each.size), each.left, each.right) for each in novel.quoted]


def like_quotations(novel: Quoted, models: Sequence[tuple[Quoted, Quotation]], number: int) -> list[Query]:
    """Passages of a novel that look like quotations drawn from `models`."""
    draw = Random(f"{novel.slug}:{number}:like")
    sentences = [novel.text[start:end] for start, end in novel.bounds]
    found: dict[int, Query] = {}
    while len(found) < number:
        other, model = draw.choice(models)
        texts, sizes = novel.texts(model.size), range(4, len(sentences) - model.size - 4)
        wanted = looks(other.texts(model.size)[model.first])
        first = min(draw.sample(sizes, TRIED), key=lambda at: math.dist(looks(texts[at]), wanted))
        behind = first + model.size
        left, right = sentences[first - 4 : first], sentences[behind : behind + 4]
        found[first] = Query(Passage(first, model.size), left, right)
    return list(found.values())


def looks(text: str) -> list[float]:
    """What a passage looks like, each in units of about its standard deviation."""
    one = seen(text)
    flags = [2.0 * each for each in (one.lower, one.mark, one.spoken, one.whole)]
    return [math.log(max(1, one.length)) / 0.4, marks(text) / 0.06, *flags]


def prepared(queries: Sequence[Query], rows: Sequence[Ranked], matching: Matching) -> list[Prepared]:
    most = ALTERNATIVES if matching.reuse or matching.balance else 1
    possible = cells(matching, NEGATIVES)
    made = []
    for row in rows:
        choices = [row.shelf.alternatives(matching, NEGATIVES, cell, most) for cell in possible]
        if min(len(each[0].chosen) for each in choices) == NEGATIVES:
            made.append(Prepared(queries[int(row.name.split()[1])], row, choices))
    return made


def dealt(job: Sequence[Prepared], matching: Matching, seed: int) -> list[Choice]:
    """What each excerpt of a job gets; those with one gold follow the first of them, as in a job."""
    leading: dict[object, int] = {}
    for at, each in enumerate(job):
        leading.setdefault(each.query.gold if matching.reuse else at, at)
    ours = [job[at] for at in leading.values()]
    entries = [
        places.Entry(
            each.ranked.name,
            each.ranked.size,
            each.ranked.shelf.gold.length,
            [places.Offer(row[0].kept, [one.rank for one in row[0].chosen]) for row in each.choices],
        )
        for each in ours
    ]
    given = places.deal(entries, cells(matching, NEGATIVES), seed)
    rows = [each.choices[cell] for each, cell in zip(ours, given, strict=True)]
    offered = [
        [alternative(each, one, matching) for one in row] for each, row in zip(ours, rows, strict=True)
    ]
    if matching.reuse or matching.balance:
        taken = [one.number for one in reuse.take([each.ranked.name for each in ours], offered)]
    else:
        taken = [0] * len(ours)
    of = {key: row[number] for key, row, number in zip(leading, rows, taken, strict=True)}
    return [of[each.query.gold if matching.reuse else at] for at, each in enumerate(job)]


def alternative(each: Prepared, one: Choice, matching: Matching) -> reuse.Alternative:
    reading = [f"{each.ranked.name.split()[0]} {reads(each.ranked.texts[got.first])}" for got in one.chosen]
    cost = sum(math.log(got.rank) for got in one.chosen)
    leans = each.ranked.shelf.leans(one.chosen) if matching.balance else ()
    return reuse.Alternative(len(one.kept), reading, cost, leans)


def audited(
    jobs: Sequence[Sequence[Prepared]], matching: Matching, seed: int
) -> tuple[tuple[CueResult, ...], list[float]]:
    """The readers of one draw, and the mean rank of each item's negatives."""
    draw, items, ranks = Random(f"{seed}:order"), [], []
    for job in jobs:
        for each, choice in zip(job, dealt(job, matching, seed), strict=True):
            at = [each.query.gold.first, *(one.first for one in choice.chosen)]
            order = draw.sample(range(len(at)), len(at))
            options = [" ".join(each.ranked.texts[at[n]].split()) for n in order]
            items.append(CueItem(each.query.words, options, order.index(0)))
            ranks.append(float(np.mean([one.rank for one in choice.chosen])))
    return audit(surface(items), seed), ranks


def report(
    name: str, jobs: Sequence[tuple[list[Query], list[Ranked]]], seeds: int, matching: Matching
) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    heads, slugs = [], []
    for setting, rule in {"off": OFF, "matched": matching}.items():
        made = [prepared(queries, rows, rule) for queries, rows in jobs]
        medians = []
        for seed in range(seeds):
            results, ranks = audited(made, rule, seed)
            medians.append(np.median(ranks))
            slugs = [each.slug for each in results]
            for each in results:
                values[setting, each.slug].append(each.value or 0.0)
                counts[setting + each.slug]["above"] += (
                    each.low is not None and each.low > 1 / NEGATIVES / 1.5
                )
                counts[setting + each.slug]["below"] += (
                    each.high is not None and each.high < 1 / NEGATIVES / 1.5
                )
        heads.append(f"{setting}, median rank {np.mean(medians):.1f} | above | below")
    print(f"\n| {name}, {sum(map(len, made))} items | {' | '.join(heads)} |\n| --- |{' ---: |' * 6}")
    for slug in slugs:
        cells_ = [
            f"{100 * np.mean(values[setting, slug]):.1f} | {counts[setting + slug]['above']} | "
            f"{counts[setting + slug]['below']}"
            for setting in ("off", "matched")
        ]
        print(f"| {slug} | {' | '.join(cells_)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--passages", type=int, default=20, help="of each novel in the generated study")
    parser.add_argument("--without", action="append", default=[], choices=SWITCHES, metavar="RULE")
    asked = parser.parse_args()
    data = real_texts()
    austens = []
    for slug in NOVELS:
        each = Novel(slug, data)
        austens.append(Quoted(slug, each.text, each.bounds, each.quoted))
    ours = own_novel()
    text = _read(data / "novels" / "frankenstein.txt")
    sixth = Quoted("frankenstein", text, segment(text).sentences, [])
    models = [(each, one) for each in austens for one in each.quoted if one.size <= LONGEST]
    matching = Matching(**dict.fromkeys(asked.without, False))
    sets = {
        "five novels": [(each, as_quoted(each)) for each in austens],
        "six novels": [(each, as_quoted(each)) for each in (*austens, ours)],
        "six novels, generated": [
            (each, like_quotations(each, models, asked.passages)) for each in (*austens, sixth)
        ],
    }
    for name, jobs in sets.items():
        rows = [(queries, ranked(novel, queries)) for novel, queries in jobs]  # type: ignore[arg-type]
        report(name, rows, asked.seeds, matching)
    return 0


if __name__ == "__main__":
    sys.exit(main())
