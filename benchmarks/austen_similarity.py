"""Do rankers by similarity find what critics quote of Austen's novels, beside BM25 and a dense encoder?

    OPENBLAS_NUM_THREADS=1 VARIORUM_TEST_DATA=<folder of novels/ and criticism/>
        python -m benchmarks.austen_similarity [--start minilm|random] [--keep FOLDER]

Queries are the contexts of the quotations that `benchmarks.austen` takes, four sentences either way, where
the quotation has one to five sentences (RELiC's limit); each ranks all passages of its quotation's length in
its novel. The trained and untrained encoders, and BM25, are those of that benchmark: with `--start random`
toys, of which no good ranking is to be expected. Word vectors are made here of the texts of the novels,
without the critics, as in `benchmarks.movers`.

Every ranker has its default parameters and no stop list, as BM25 has none; Tesserae and its back-off are also
given Lucene's. Word Mover's Distance is exact for the first hundred only, so what the relative rank says of
it is rough. The quotations of all five novels are tested, paired, against BM25; those of Pride and Prejudice
are printed by themselves. p is corrected by Holm for the rankers on one measure. A difference is claimed
where it is at least two standard errors and this p is below .05.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from benchmarks import austen
from benchmarks.austen_ranks import RELATIVE, Novel, read_novels, real_texts
from benchmarks.austen_report import SYSTEMS
from benchmarks.movers import text, vectors
from evaluation.metrics.common.means import MeanEstimate, means
from evaluation.metrics.common.paired import comparisons
from evaluation.metrics.ranking.gold_ranks import (
    MRR,
    GoldRanks,
    RankMeasure,
    estimates,
    gold_ranks,
    recall_at,
    stored_ranks,
    together,
)
from retrieval.engine.corpora.tokenising import STOP_LISTS
from retrieval.engine.ranking import rankers
from retrieval.engine.training.pairs import digest
from retrieval.engine.words.tables import StopList

LONGEST = 5
"""Sentences of a quotation, at most: RELiC has no longer ones, and all passages of thirty cost minutes."""
ALONE = "pride_and_prejudice"
BASE = "BM25"
MEASURES = (MRR, recall_at(10), recall_at(100), RELATIVE)
LEAST, LEVEL = 2.0, 0.05
"""Standard errors of a difference, and the p, from which on it is claimed."""
STOPS = {"stop_list": StopList(frozenset(STOP_LISTS["lucene"]))}
Settings = dict[str, object]
Ranks = dict[str, dict[str, GoldRanks]]
"""Of each ranker by its name: of each novel, where the quotations stand."""


def systems(known: object) -> dict[str, tuple[str, Settings]]:
    """Return slug and parameters of each ranker by the name it is printed with. `known`: the word vectors."""
    by_vectors: Settings = {"vectors": known}
    return {
        "bow": ("bow", {}),
        "tfidf": ("tfidf", {}),
        "tesserae": ("tesserae", {}),
        "tesserae, stop list": ("tesserae", STOPS),
        "soft-cosine, vectors": ("soft-cosine", by_vectors),
        "soft-cosine, random": ("soft-cosine", {"relation": "random"}),
        "bow-emb": ("bow-emb", by_vectors),
        "tfidf-emb": ("tfidf-emb", by_vectors),
        "wmd": ("wmd", by_vectors),
        "tesserae-wmd": ("tesserae-wmd", by_vectors),
        "tesserae-wmd, stop list": ("tesserae-wmd", by_vectors | STOPS),
    }


def short(novel: Novel) -> list[int]:
    """Return which of the quotations are ranked here."""
    return [number for number, each in enumerate(novel.quoted) if each.size <= LONGEST]


def ranked(novel: Novel, slug: str, parameters: Mapping[str, object]) -> list[list[float]]:
    """Return lowest and highest rank of each short quotation, and its number of passages (3, Q)."""
    rows = np.empty((3, len(novel.quoted)))
    for size in (size for size in novel.sizes if size <= LONGEST):
        at = [number for number, each in enumerate(novel.quoted) if each.size == size]
        index = rankers.get(slug).prepare(list(novel.texts(size)), parameters)
        scores = np.stack(list(index.scores([novel.queries[number] for number in at])))
        rows[:, at] = np.array(gold_ranks(scores, [novel.quoted[number].first for number in at]))
    return [row.tolist() for row in rows[:, short(novel)]]


def measured(novels: Sequence[Novel], known: object, keep: Path) -> Ranks:
    """Return where every ranker puts every quotation; what `keep` holds is not computed again."""
    every = systems(known)
    excerpts = digest([pair for novel in novels for pair in novel.pairs()])
    keep /= f"similarity-{sha256(repr((LONGEST, list(every), excerpts)).encode()).hexdigest()[:8]}"
    keep.mkdir(parents=True, exist_ok=True)
    results: Ranks = {}
    with tqdm(total=len(every) * len(novels), unit="novel", disable=None) as bar:
        for name, (slug, parameters) in every.items():
            results[name] = {}
            for novel in novels:
                bar.set_description(f"{name}: {novel.slug}")
                make: Callable[[], Any] = partial(ranked, novel, slug, parameters)
                lowest, highest, candidates = austen.kept(keep / f"{name} {novel.slug}.json", make)
                results[name][novel.slug] = stored_ranks(lowest, candidates, highest)
                bar.update()
    return results


def verdict(paired: MeanEstimate, p: float, *, up: bool = True) -> str:
    """Return what may be said of a mean paired difference: better, worse or no claim.

    p: of its test, corrected. up: whether greater is better.
    """
    difference, error = paired.value or 0.0, paired.standard_error
    if not difference or error is None or abs(difference) < LEAST * error or p >= LEVEL:
        return "no claim"
    return "better" if (difference > 0) == up else "worse"


def printed(measure: RankMeasure, value: float | None, *ends: float | None) -> str:
    """Return a value of a measure, and the ends of its interval where they are given; recall in percent."""
    percent = measure.slug.startswith("recall")
    said, *rest = (
        "—" if one is None else f"{one * 100:.1f}" if percent else f"{one:.3f}" for one in (value, *ends)
    )
    return f"{said} [{', '.join(rest)}]" if rest else said


def row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


def table(ranks: Mapping[str, GoldRanks]) -> None:
    """Print a row a ranker: every measure with its interval, and above them what chance gives."""
    found = {name: estimates(one, seed=0, measures=MEASURES) for name, one in ranks.items()}
    base = ranks[BASE]
    print()
    row(
        f"{base.n_queries} quotations, {base.candidates.mean():,.0f} passages",
        *(each.label for each in MEASURES),
    )
    row(*["---"] * (1 + len(MEASURES)))
    row("random", *(printed(each.measure, each.random) for each in found[BASE]))
    for name, every in found.items():
        row(name, *(printed(each.measure, each.mean.value, each.mean.low, each.mean.high) for each in every))


def tests(ranks: Mapping[str, GoldRanks]) -> None:
    """Print each ranker minus BM25 on every measure: difference, interval, standard errors, p, verdict."""
    print()
    row("minus BM25", "measure", "difference", "standard errors", "p (Holm)", "")
    row(*["---"] * 6)
    for measure in MEASURES:
        values = {name: measure.per_query(one) for name, one in ranks.items()}
        for each in comparisons(values, BASE, seed=0):
            (paired,) = means((values[each.name] - values[BASE])[None], 0, 0, shares=False)
            apart = abs(each.difference) / paired.standard_error if paired.standard_error else 0.0
            row(
                each.name,
                measure.label,
                printed(measure, each.difference, each.low, each.high),
                f"{apart:.1f}",
                f"{each.p_holm:.2g}",
                verdict(paired, each.p_holm, up=measure.up),
            )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--start", choices=austen.STARTS, default="minilm")
    options.add_argument("--keep", type=Path, help="where ranks are kept, and not computed again")
    asked = options.parse_args()
    torch.set_num_threads(1)
    novels = read_novels()
    folder = real_texts()
    known = vectors([text(folder, str(each.relative_to(folder))) for each in sorted(folder.glob("novels/*"))])
    with tempfile.TemporaryDirectory() as place:
        keep = asked.keep or Path(place)
        models = austen.measured(asked.start, novels, keep)
        found = {
            name: {each.slug: models[each.slug][name].ranks.take(short(each)) for each in novels}
            for name in reversed(SYSTEMS)
        }
        found |= measured(novels, known, keep)
    table({name: one[ALONE] for name, one in found.items()})
    pooled = {name: together(one.values()) for name, one in found.items()}
    table(pooled)
    tests(pooled)
    print(f"{time.process_time():,.0f} CPU seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
