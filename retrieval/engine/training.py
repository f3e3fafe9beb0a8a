"""Training two encoders so that a context lies nearer to its quotation than to the others of its step.

    L = −1/n Σ_i log( exp(c_i · q_i) / Σ_j exp(c_i · q_j) )

with c and q the vectors of the contexts and quotations of a step (Karpukhin et al. 2020, equation 2; Thai
et al. 2022, section 3.2: 100 quotations of one book, Adam, rate 1e-5, 10 epochs, early stopping). What
the paper could not do are switches: wrong answers that overlap the right one are masked, hard negatives
of a job join the sum.

Every epoch is stored whole: weights, Adam's moments, the curve. Random numbers are drawn from the seed
and the epoch, so a run that was stopped goes on to the same weights.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from retrieval.engine import dense_folder, dense_history
from retrieval.engine.dense_batches import CPU_BUDGET, GPU_BUDGET, by_budget
from retrieval.engine.dense_encoder import build, device, padded, pooled
from retrieval.engine.dense_history import Epoch
from retrieval.engine.dense_pairs import Pair, batches, digest, overlaps
from retrieval.engine.dense_recipe import Recipe
from retrieval.engine.dense_settings import Settings
from retrieval.engine.dense_tokens import Ids, Tokeniser
from retrieval.engine.errors import BadInput

Report = Callable[[int, int, int, float], None]
"""Called with the epoch, the step (from 1), how many there are, and the step's loss."""


class Trained(NamedTuple):
    """The curve, and the folder of the epoch with the lowest validation loss."""

    curve: tuple[Epoch, ...]
    best: Epoch
    folder: Path


def in_batch_loss(contexts: Any, quotations: Any, masked: Any = None, scale: float = 1.0) -> Any:
    """The loss above for contexts (n, d) and quotations (n + m, d), the first n of them the right ones.

    `masked` (n, n + m), bool: wrong answers that do not count.
    """
    scores = scale * (contexts @ quotations.T)
    if masked is not None:
        scores = scores.masked_fill(masked, -math.inf)
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(contexts), device=scores.device))


def train(
    start: Path,
    work: Path,
    pairs: Sequence[Pair],
    validation: Sequence[Pair],
    *,
    settings: Settings,
    recipe: Recipe,
    asked: str = "auto",
    report: Report = lambda *_: None,
) -> Trained:
    """Train from the checkpoint in `start`, keeping epochs in `work`; goes on where `work` stopped.

    Raises:
        BadInput: the checkpoint is refused, pairs are missing or in both splits, `work` holds another
            training, a loss is no number, or there is no such device.
    """
    _check(pairs, validation)
    trainer = Trainer(start, settings, recipe, device(asked))
    told = {
        "recipe": asdict(recipe),
        "settings": asdict(settings),
        "start": dense_folder.fingerprint(start),
        "pairs": digest(pairs),
        "validation": digest(validation),
    }
    curve = dense_history.resume(work, told, trainer.towers, trainer.optimizer)
    while not _over(curve, recipe):
        number = len(curve) + 1
        with torch.random.fork_rng(devices=trainer.cuda):
            torch.manual_seed(recipe.seed * 1_000_003 + number)
            loss = trainer.epoch(pairs, number, report)
        with torch.random.fork_rng(devices=trainer.cuda):
            checked = trainer.validate(validation)
        curve = [*curve, Epoch(number, loss, checked)]
        dense_history.store(work, told, curve, trainer.towers, trainer.optimizer)
    best = dense_history.best(curve)
    return Trained(tuple(curve), best, dense_history.place(work, best.number))


class Trainer:
    """Both encoders, Adam over them, and one step."""

    def __init__(self, start: Path, settings: Settings, recipe: Recipe, place: torch.device) -> None:
        dense_folder.checked(start)
        self.settings, self.recipe, self.device = settings, recipe, place
        self.cuda = [place] if place.type == "cuda" else []
        built: dict[Path, Any] = {}
        self.towers: dict[str, Any] = {}
        for which in dense_folder.TOWERS:
            folder = dense_folder.tower(start, which)
            first = built.setdefault(folder, build(folder, pooler=settings.pooling == "pooler"))
            # One encoder for both sides is where two begin.
            self.towers[which] = copy.deepcopy(first).to(place)
        config = self.towers["context"].config
        self.tokeniser = Tokeniser(start, config.model_type, config.vocab_size)
        weights = [weight for tower in self.towers.values() for weight in tower.parameters()]
        self.optimizer = torch.optim.Adam(weights, lr=recipe.rate)

    def epoch(self, pairs: Sequence[Pair], number: int, report: Report) -> float:
        """One pass; the mean loss of its steps."""
        self._mode(training=True)
        steps = batches(pairs, self.recipe.batch, self.recipe.seed * 1_000_003 + number)
        losses = []
        for at, chosen in enumerate(steps, start=1):
            done = (number - 1) * len(steps) + at
            for group in self.optimizer.param_groups:
                group["lr"] = self.recipe.rate * min(1.0, done / max(1, self.recipe.warmup))
            loss = self.loss([pairs[place] for place in chosen])
            value = float(loss.detach())
            if not math.isfinite(value):
                raise BadInput(
                    f"The loss is {value} in epoch {number}, step {at}: training has diverged. "
                    f"Choose a rate below {self.recipe.rate:g}; epochs before this one are kept."
                )
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            losses.append(value)
            report(number, at, len(steps), value)
        return float(np.mean(losses))

    def validate(self, pairs: Sequence[Pair]) -> float:
        """The mean loss of the steps of another split, nothing learned."""
        self._mode(training=False)
        with torch.no_grad():
            steps = batches(pairs, self.recipe.batch, seed=0)
            return float(np.mean([float(self.loss([pairs[at] for at in chosen])) for chosen in steps]))

    def loss(self, chosen: Sequence[Pair]) -> Any:
        """The loss of one step."""
        hard = self.recipe.hard_negatives
        texts = [pair.quotation for pair in chosen]
        texts += [each.text for pair in chosen for each in pair.wrong] if hard else []
        contexts = self.tokeniser.contexts([pair.query for pair in chosen], self.settings)
        quotations = self.tokeniser.quotations(texts, self.settings)
        masked = None
        if self.recipe.mask_overlaps:
            masked = torch.from_numpy(overlaps(chosen, hard=hard)).to(self.device)
        # On a GPU bfloat16 halves the memory and doubles the rate; sums stay in float32.
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bool(self.cuda)):
            left = self.vectors("context", contexts)
            right = self.vectors("quotation", quotations)
        return in_batch_loss(left.float(), right.float(), masked, self.recipe.scale)

    def vectors(self, which: str, ids: Sequence[Ids]) -> Any:
        """Vectors (n, width) in the order of `ids`, in length-grouped parts or padded to the limit."""
        tower = self.towers[which]
        limit = 0 if self.recipe.grouped else getattr(self.settings, f"{which}_tokens")
        parts, placed = [], []
        for batch in self._parts(ids):
            tokens, mask = padded(
                [ids[at] for at in batch], int(tower.config.pad_token_id), self.device, limit
            )
            parts.append(pooled(tower(input_ids=tokens, attention_mask=mask), mask, self.settings))
            placed += list(batch)
        back = torch.from_numpy(np.argsort(np.array(placed, dtype=np.int64))).to(self.device)
        return torch.cat(parts)[back]

    def _parts(self, ids: Sequence[Ids]) -> Iterator[Sequence[int]]:
        if not self.recipe.grouped:
            yield range(len(ids))
            return
        budget = GPU_BUDGET if self.cuda else CPU_BUDGET
        for batch in by_budget([each.size for each in ids], budget):
            yield batch.tolist()

    def _mode(self, *, training: bool) -> None:
        for tower in self.towers.values():
            tower.train(training)


def _over(curve: Sequence[Epoch], recipe: Recipe) -> bool:
    if len(curve) >= recipe.epochs:
        return True
    return bool(curve) and len(curve) - dense_history.best(curve).number >= recipe.patience


def _check(pairs: Sequence[Pair], validation: Sequence[Pair]) -> None:
    for name, split in (("train on", pairs), ("validate with", validation)):
        if len(split) < 2:
            raise BadInput(
                f"There are {len(split)} excerpts to {name}; at least 2 are needed, since each is the "
                "other's wrong answer."
            )
    shared = {pair.book for pair in pairs} & {pair.book for pair in validation}
    if shared:
        raise BadInput(
            f"The book {min(shared)} is in both splits; choose other books to validate with, "
            "or the loss would be of passages learned by heart."
        )


__all__ = ["Recipe", "Trained", "Trainer", "in_batch_loss", "train"]
