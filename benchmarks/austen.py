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

from benchmarks.austen_ranks import Found, Novel, Row, found, read_novels, restored
from benchmarks.austen_report import SYSTEMS, report
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import packages, toy
from retrieval.engine.dense.encoder import Encoder
from retrieval.engine.dense.settings import Settings
from retrieval.engine.training.loop import Trainer
from retrieval.engine.training.pairs import digest
from retrieval.engine.training.recipe import Recipe

BATCH = 24
"""No novel has more excerpts, so that those of a novel share a step."""

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
            shape = toy.Shape(dropout=0.0)
            return toy.write_afresh(place, [each.text for each in novels], seed=0, shape=shape)
        for each in packages.installed():
            if each.packaged.slug == self.package:
                return each.folder
        sys.exit("Install requirements-minilm.txt for this start.")


STARTS = {
    "minilm": Start("minilm", Settings("mean", "cosine", "space", 128, 48), (3e-5, 1e-4), 4, "bf16"),
    "random": Start("", Settings("mean", "cosine", "mask", 128, 48), (3e-4, 1e-3), 10, "fp32"),
}


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
        toy.save(tower, folder / which)
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
    torch.set_num_threads(1)
    novels = read_novels()
    with tempfile.TemporaryDirectory() as place:
        report(measured(asked.start, novels, asked.keep or Path(place)))
    print(f"{time.process_time():,.0f} CPU seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
