"""What is it worth to leave out wrong answers that overlap the right one (`train_dense --mask-overlaps`)?

    VARIORUM_TEST_DATA=<folder of novels/ and criticism/> python -m benchmarks.mask_overlaps
        [--seeds 3] [--keep FILE]

The excerpts are those of `benchmarks.austen`: what three critics quote of five novels by Austen. First it is
counted how many wrong answers of a step overlap the right one. Then all-MiniLM-L6-v2 learns the excerpts
of the three novels of which two critics quote one place, with the switch and without it, from several seeds
(they draw the order of the steps and what dropout leaves out), and reads the other two novels: the loss
there, and the rank of every quotation of at most 15 sentences among 99 drawn passages of its length that do
not overlap it.

Because few places are quoted twice here, it is done again with every place quoted twice: each excerpt is also
learned with one sentence of context on each side, as if a second critic had quoted it, in the same step.

Adam at 1e-4, three epochs, contexts 4/4 cut to 96 tokens, passages behind 32; chosen for time, before
anything was measured. Intervals: 95 %, resampling quotations, each with its mean over the seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from benchmarks.austen import STARTS
from benchmarks.austen_ranks import Novel, read_novels
from evaluation.metrics.common.means import MeanEstimate, means
from retrieval.engine.dense.settings import Settings
from retrieval.engine.text.passages import Passage
from retrieval.engine.text.tokens import GAP
from retrieval.engine.training.loop import Trainer
from retrieval.engine.training.pairs import Pair, overlaps, steps
from retrieval.engine.training.recipe import Recipe

READ = ("pride_and_prejudice", "sense_and_sensibility")
"""No place of these two is quoted by two critics."""
SETTINGS = Settings("mean", "cosine", "space", 96, 32)
RECIPE = Recipe(batch=25, rate=1e-4, scale=20.0, epochs=3)
LONGEST, DRAWN = 15, 99
ARMS = {"as the critics quote": 1, "every place quoted twice": 2}
"""How many critics quote each place."""
MEASURES = ("mean rank", "recall@1", "recall@10")


class Asked(NamedTuple):
    """A quotation of the novels that are read, and the passages it is ranked among, itself the first."""

    query: str
    passages: tuple[str, ...]


def learned(novels: Sequence[Novel], critics: int) -> list[Pair]:
    """The excerpts; with two critics each a second time, with a sentence of context on each side."""
    pairs = []
    for novel in novels:
        for pair, each in zip(novel.pairs(), novel.quoted, strict=True):
            pairs.append(pair)
            if critics > 1:
                near = " ".join([*each.left[-1:], GAP, *each.right[:1]])
                pairs.append(pair._replace(query=near))
    return pairs


def counted(pairs: Sequence[Pair], batch: int) -> dict[str, int]:
    """Wrong answers of an epoch's steps, and how many of them, and of the pairs, overlap what is right."""
    every = steps(pairs, batch, seed=0)
    found = [overlaps(step, hard=False) for step in every]
    return {
        "wrong answers": sum(each.size - len(each) for each in found),
        "of them overlapping": sum(int(each.sum()) for each in found),
        "pairs": sum(len(each) for each in found),
        "of them with such an answer": sum(int(each.any(axis=1).sum()) for each in found),
    }


def questions(novels: Sequence[Novel]) -> list[Asked]:
    """The quotations that are ranked, with the passages drawn once for all models."""
    numbers = np.random.default_rng(0)
    found = []
    for novel in novels:
        for query, each in zip(novel.queries, novel.quoted, strict=True):
            if each.size > LONGEST:
                continue
            texts, gold = novel.texts(each.size), Passage(each.first, each.size)
            apart = [at for at in range(len(texts)) if not gold.overlaps(Passage(at, each.size))]
            drawn = numbers.choice(apart, size=DRAWN, replace=False)
            found.append(Asked(query, (texts[each.first], *(texts[at] for at in drawn))))
    return found


def ranks(trainer: Trainer, asked: Sequence[Asked]) -> list[float]:
    """The mid rank of each quotation among its passages."""
    words, settings = trainer.tokeniser, trainer.settings
    with torch.no_grad():
        texts = [text for each in asked for text in each.passages]
        passages = trainer.vectors("quotation", words.quotations(texts, settings)).numpy()
        contexts = trainer.vectors(
            "context", words.contexts([each.query for each in asked], settings)
        ).numpy()
    scores = np.einsum("qd,qpd->qp", contexts, passages.reshape(len(asked), DRAWN + 1, -1))
    better = (scores > scores[:, :1]).sum(axis=1)
    same = (scores == scores[:, :1]).sum(axis=1)
    return (better + (same + 1) / 2).tolist()  # type: ignore[no-any-return]


def model(
    pairs: Sequence[Pair], critics: int, masked: bool, seed: int, read: Sequence[Novel]
) -> dict[str, Any]:
    """Learn the pairs from a seed; the loss on the excerpts that are read, and their ranks."""
    recipe = Recipe(
        **{**vars(RECIPE), "batch": RECIPE.batch * critics, "mask_overlaps": masked, "seed": seed}
    )
    trainer = Trainer(STARTS["minilm"].folder(Path(), []), SETTINGS, recipe, torch.device("cpu"))
    for number in range(1, recipe.epochs + 1):
        torch.manual_seed(1000 * seed + number)
        trainer.epoch(pairs, number)
    return {
        "loss": trainer.validate([pair for novel in read for pair in novel.pairs()]),
        "ranks": ranks(trainer, questions(read)),
    }


def measures(models: Sequence[dict[str, Any]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(measure, seed, quotation) of models that differ in their seed."""
    found = np.array([each["ranks"] for each in models])
    return np.stack([found, found <= 1, found <= 10])


def report(arm: str, found: dict[bool, list[dict[str, Any]]]) -> None:
    """A line a measure: with and without the switch, the spread of the seeds, the difference."""
    print(f"{arm}: {len(found[True])} seeds, {len(found[True][0]['ranks'])} quotations ranked")
    both = {masked: measures(models) for masked, models in found.items()}
    change = means((both[True] - both[False]).mean(axis=1), seed=0, shares=False)
    for at, name in enumerate(MEASURES):
        off, on = (seeds(both[masked][at].mean(axis=1)) for masked in (False, True))
        print(f"  {name}: without {off}; with {on}; difference {difference(change[at])}")
    losses = {masked: np.array([each["loss"] for each in models]) for masked, models in found.items()}
    print(f"  loss: without {seeds(losses[False])}; with {seeds(losses[True])}")
    print(f"  loss, differences by seed: {seeds(losses[True] - losses[False])}")


def difference(one: MeanEstimate) -> str:
    """A mean difference with its interval, where there is one."""
    interval = "no interval" if one.low is None else f"[{one.low:+.3f}, {one.high:+.3f}]"
    return f"{one.value:+.3f} {interval}"


def seeds(values: Any) -> str:
    """The mean over the seeds, and the lowest and the highest."""
    return f"{np.mean(values):.3f} ({np.min(values):.3f} to {np.max(values):.3f})"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--keep", type=Path, help="where finished models are kept, and not computed again")
    asked = options.parse_args()
    torch.set_num_threads(1)
    novels = read_novels()
    taught, read = ([each for each in novels if (each.slug in READ) is which] for which in (False, True))
    kept = json.loads(asked.keep.read_text()) if asked.keep and asked.keep.exists() else {}
    print("all five novels:", counted(learned(novels, 1), RECIPE.batch))
    with tqdm(total=2 * len(ARMS) * asked.seeds, unit="model", disable=None) as bar:
        for arm, critics in ARMS.items():
            pairs = learned(taught, critics)
            print(f"{arm}:", counted(pairs, RECIPE.batch * critics), flush=True)
            found: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
            for seed in range(asked.seeds):
                for masked, models in found.items():
                    name = f"{arm}, {masked}, {seed}"
                    if name not in kept:
                        kept[name] = model(pairs, critics, masked, seed, read)
                        if asked.keep:
                            asked.keep.write_text(json.dumps(kept))
                    models.append(kept[name])
                    bar.update()
            report(arm, found)
    print(f"{time.process_time():,.0f} CPU seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
