"""Trained encoders on a split they have not seen: the loss, and how often the right quotation comes first.

What stands in a step is what competes, so the share depends on the step's size: chance is printed beside
it. The ranks among all passages of a book are a ranking job's to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import safetensors.torch
import torch

from retrieval.engine.dense import folder
from retrieval.engine.dense.encoder import device
from retrieval.engine.dense.settings import Settings
from retrieval.engine.training.callbacks import Callbacks
from retrieval.engine.training.loop import Trainer
from retrieval.engine.training.pairs import Pair, batches, n_contexts
from retrieval.engine.training.recipe import Recipe


class Results(NamedTuple):
    """What trained encoders do on pairs they have not seen.

    loss: as in validation.
    first: how many contexts had their own quotation first in its step.
    pairs: how many contexts there were.
    chance: the share that a random order would have first.
    """

    loss: float
    first: int
    pairs: int
    chance: float


def results(
    start: Path,
    epoch: Path,
    pairs: Sequence[Pair],
    *,
    settings: Settings,
    recipe: Recipe,
    asked: str = "auto",
    watch: Callbacks | None = None,
) -> Results:
    """Test the encoders of an epoch on other pairs, with each context, in steps of the recipe's size.

    Wrong answers that are the right passage too, as when two critics quote one place, do not beat it.
    """
    trainer = Trainer(start, settings, recipe, device(asked), watch)
    for which, tower in trainer.towers.items():
        tower.load_state_dict(safetensors.torch.load_file(epoch / which / folder.WEIGHTS))
    loss = trainer.validate(pairs)
    first, chances = 0, []
    number = n_contexts(pairs)
    every = [(size, step) for size in range(number) for step in batches(pairs, recipe.batch, seed=0)]
    seen: set[tuple[int, int]] = set()
    for size, step in every:
        new = [row for row, at in enumerate(step) if (size, at) not in seen]
        seen.update((size, at) for at in step)
        chosen = [pairs[at].asked(size) for at in step]
        with torch.no_grad():
            contexts = trainer.vectors(
                "context", trainer.tokeniser.contexts([pair.query for pair in chosen], settings)
            )
            quotations = trainer.vectors(
                "quotation", trainer.tokeniser.quotations([pair.quotation for pair in chosen], settings)
            )
        scores = (contexts.float() @ quotations.float().T).cpu().numpy()
        rival = np.array([[(a.book, a.first) != (b.book, b.first) for b in chosen] for a in chosen])
        best = np.where(rival, scores, -np.inf).max(axis=1)
        first += int((scores.diagonal() > best)[new].sum())
        chances += [1 / (1 + int(rival[row].sum())) for row in new]
    return Results(loss, first, len(pairs) * number, float(np.mean(chances)))
