"""Where rankers put what critics quote of a novel, for `benchmarks.austen`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from evaluation.metrics.ranking.gold_ranks import GoldRanks, RankMeasure, gold_ranks, stored_ranks
from retrieval.engine.dense.encoder import Encoder, Vectors
from retrieval.engine.formats import reading
from retrieval.engine.quotations import finding
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.negatives import hard_negatives
from retrieval.engine.text import passages
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.sentences import segment
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.pairs import Pair

NOVELS = (
    "mansfield_park",
    "northanger_abbey",
    "persuasion",
    "pride_and_prejudice",
    "sense_and_sensibility",
)
CRITICS = ("austen_leigh_1871_memoir", "austen_leigh_1913_life_and_letters", "helm_1909_country_house_comedy")

Row = np.ndarray[Any, np.dtype[np.float64]]

RELATIVE = RankMeasure(
    "relative_rank",
    "relative rank",
    "Rank of the right passage by number of passages.",
    "mean_i (rank_i - 1/2) / C_i",
    "Thai et al. 2022, section 3.1, by number of candidates",
    lambda ranks: (ranks.expected - 0.5) / ranks.candidates,
    lambda candidates: np.full(len(candidates), 0.5),
    up=False,
)


def real_texts() -> Path:
    """Return the folder of novels and critics; end with a sentence where none is named."""
    named = os.environ.get("VARIORUM_TEST_DATA")
    if not named:
        sys.exit("Name a folder with novels/ and criticism/ in VARIORUM_TEST_DATA.")
    return Path(named)


def read_novels() -> list[Novel]:
    """Return Austen's five with what the critics quote of them."""
    folder = real_texts()
    return [Novel(slug, folder) for slug in tqdm(NOVELS, desc="quotations", leave=False, disable=None)]


class Novel:
    """A novel in sentences, and what the critics quote of it."""

    def __init__(self, slug: str, folder: Path) -> None:
        self.slug, self.text = slug, _read(folder / "novels" / f"{slug}.txt")
        self.bounds = segment(self.text).sentences
        self.quoted = [
            each
            for critic in CRITICS
            for each in finding.find(
                _read(folder / "criticism" / f"{critic}.txt"), self.text, self.bounds
            ).found
        ]
        self.queries = [" ".join([*each.left, GAP, *each.right]) for each in self.quoted]
        self.sizes = sorted({each.size for each in self.quoted})

    def texts(self, size: int) -> Sequence[str]:
        return passages.texts(self.text, self.bounds, size)

    def pairs(self) -> list[Pair]:
        return [
            Pair(self.slug, query, self.texts(each.size)[each.first], each.first, each.size)
            for query, each in zip(self.queries, self.quoted, strict=True)
        ]


def _read(path: Path) -> str:
    return reading.read(path.read_bytes(), path.name).text


class Found(NamedTuple):
    """Where a ranker put a novel's quotations, (Q,) each.

    `won`: whether they beat two wrong passages; `elsewhere`: relative rank, the mean over other contexts.
    """

    ranks: GoldRanks
    won: Row
    elsewhere: Row

    @property
    def relative(self) -> Row:
        return RELATIVE.per_query(self.ranks)

    @property
    def gain(self) -> Row:
        """What the own context gains over the others, in relative rank."""
        return self.elsewhere - self.relative

    def stored(self) -> dict[str, list[float]]:
        """As JSON holds it."""
        rows = (*self.ranks, self.won, self.elsewhere)
        return {name: row.tolist() for name, row in zip(_ROWS, rows, strict=True)}


_ROWS = ("lowest", "highest", "candidates", "won", "elsewhere")


def restored(stored: Mapping[str, Sequence[float]]) -> Found:
    """What `Found.stored` told."""
    lowest, highest, candidates, won, elsewhere = (np.array(stored[name]) for name in _ROWS)
    return Found(stored_ranks(lowest, candidates, highest), won, elsewhere)


def together(parts: Sequence[Found]) -> Found:
    """The quotations of several novels, one behind the other."""
    stored = [each.stored() for each in parts]
    return restored({name: [value for each in stored for value in each[name]] for name in _ROWS})


class Ranked:
    """Scores of all passages of a novel for all contexts of its quotations, a size at a time."""

    def __init__(self, novel: Novel, encoder: Encoder | None) -> None:
        self.novel, self.encoder = novel, encoder
        if encoder:
            self.vectors = encoded(encoder, novel)
            self.contexts = encoder.contexts(novel.queries)

    def scores(self, size: int) -> Row:
        """(Q, passages) by the encoder; without one by BM25."""
        if self.encoder:
            return np.asarray(self.contexts @ self.vectors[size].T, dtype=np.float64)
        words = rankers.get("bm25").prepare(list(self.novel.texts(size)), {})
        return np.stack(list(words.scores(self.novel.queries)))


def encoded(encoder: Encoder, novel: Novel) -> dict[int, Vectors]:
    """Vectors of the passages of each size, as jobs keep them: float16.

    Long passages begin alike and are cut: what then reads the same is encoded once.
    """
    place: dict[bytes, int] = {}
    rows = {}
    for size in novel.sizes:
        ids = encoder.tokeniser.quotations(novel.texts(size), encoder.settings)
        rows[size] = [place.setdefault(each.tobytes(), len(place)) for each in ids]
    with tqdm(desc=f"  passages of {novel.slug}", unit="token", leave=False, disable=None) as bar:

        def tell(step: Any) -> None:
            bar.total = step.of_tokens
            bar.update(step.tokens - bar.n)

        unique = [np.frombuffer(each, dtype=np.int32) for each in place]
        vectors = encoder.encode("quotation", unique, tell).astype(np.float16).astype(np.float32)
    return {size: vectors[which] for size, which in rows.items()}


def found(novel: Novel, systems: Mapping[str, Encoder | None]) -> dict[str, Found]:
    """Every ranker on every quotation of the novel, among all passages of its length; None is BM25."""
    wrong = _wrong(novel)
    return {name: _found(Ranked(novel, encoder), wrong) for name, encoder in systems.items()}


def _found(ranked: Ranked, wrong: Sequence[tuple[int, ...]]) -> Found:
    quoted = ranked.novel.quoted
    rows = np.empty((len(_ROWS), len(quoted)))
    for size in ranked.novel.sizes:
        scores = ranked.scores(size)
        for at in (at for at, each in enumerate(quoted) if each.size == size):
            gold, own = quoted[at].first, scores[at]
            ranks = gold_ranks(scores, np.full(len(scores), gold))
            places = list(zip(ranks.lowest.tolist(), ranks.highest.tolist(), strict=True))
            relative = [(sum(each) - 1) / 2 / own.size for each in places]
            won = all(own[gold] > own[other] for other in wrong[at])
            rows[:, at] = (*places[at], own.size, won, np.mean(relative[:at] + relative[at + 1 :]))
    return restored(dict(zip(_ROWS, rows.tolist(), strict=True)))


def _wrong(novel: Novel) -> list[tuple[int, ...]]:
    """BM25's best two wrong passages for each quotation."""
    ranked, texts = Ranked(novel, None), {size: list(novel.texts(size)) for size in novel.sizes}
    scores = {size: ranked.scores(size) for size in novel.sizes}
    chosen = []
    for at, each in enumerate(novel.quoted):
        sides = (" ".join(each.left), " ".join(each.right))
        gold = Passage(each.first, each.size)
        best = hard_negatives(scores[each.size][at], gold, texts[each.size], 2, context=sides).chosen
        chosen.append(tuple(one.first for one in best))
    return chosen
