"""Train two encoders so that a context lies nearer to its quotation than to the others of its step.

    L = −1/n Σ_i log( exp(c_i · q_i) / Σ_j exp(c_i · q_j) )

with c and q the vectors of the contexts and quotations of a step (Karpukhin et al. 2020, equation 2; Thai
et al. 2022, section 3.2: 100 quotations of one book, Adam, rate 1e-5, 10 epochs, early stopping). What
the paper could not do are switches: wrong answers that overlap the right one are masked, hard negatives
of a job join the sum, steps are larger than memory (`gradient_cache`), each quotation is learned with
contexts of several sizes.

Every epoch is stored whole: weights, Adam's moments, the curve. Random numbers are drawn from the seed
and the epoch, so a run that was stopped goes on to the same weights.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense.batches import CPU_BUDGET, GPU_BUDGET, by_budget
from retrieval.engine.dense.building import build, check_learns, check_room
from retrieval.engine.dense.encoder import device, padded, pooled
from retrieval.engine.dense.settings import Settings
from retrieval.engine.dense.tokens import Ids, Tokeniser
from retrieval.engine.training import gradient_cache, history
from retrieval.engine.training.callbacks import Callbacks, Epoch
from retrieval.engine.training.pairs import Pair, check_splits, digest, overlaps, steps
from retrieval.engine.training.recipe import Recipe


class Trained(NamedTuple):
    """A finished training.

    curve: the losses by epoch.
    best: the epoch with the lowest validation loss.
    folder: where that epoch's encoders are.
    """

    curve: tuple[Epoch, ...]
    best: Epoch
    folder: Path


def in_batch_loss(contexts: Any, quotations: Any, masked: Any = None, scale: float = 1.0) -> Any:
    """Return the loss above, with gradients.

    contexts: (n, d).
    quotations: (n + m, d), the first n of them the right ones.
    masked: (n, n + m), bool, wrong answers that do not count.
    scale: multiplies the scores.
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
    watch: Callbacks | None = None,
) -> Trained:
    """Train from the checkpoint in `start`, keeping epochs in `work`; goes on where `work` stopped.

    `watch` is told how it goes, and may raise to stop it.

    Raises:
        BadInput: the checkpoint is refused, pairs are missing or in both splits, `work` holds another
            training, a loss is no number, or there is no such device.
    """
    check_splits(pairs, validation)
    trainer = Trainer(start, settings, recipe, device(asked), watch)
    told = {
        "recipe": asdict(recipe),
        "settings": settings.named(),
        "start": dense_folder.fingerprint(start),
        "pairs": digest(pairs),
        "validation": digest(validation),
    }
    curve = history.resume(work, told, trainer.towers, trainer.optimizer)
    trainer.watch.begin(curve, trainer.device.type)
    while not _over(curve, recipe):
        number = len(curve) + 1
        with torch.random.fork_rng(devices=trainer.cuda):
            torch.manual_seed(recipe.seed * 1_000_003 + number)
            loss = trainer.epoch(pairs, number)
        with torch.random.fork_rng(devices=trainer.cuda):
            checked = trainer.validate(validation)
        trainer.refuse_divergence(checked, f"validation loss is {checked} after epoch {number}")
        curve = [*curve, Epoch(number, loss, checked)]
        history.store(work, told, curve, trainer.towers, trainer.optimizer)
        trainer.watch.kept(curve)
    best = history.best(curve)
    return Trained(tuple(curve), best, history.place(work, best.number))


class Trainer:
    """Both encoders, Adam over them, and one step."""

    def __init__(
        self,
        start: Path,
        settings: Settings,
        recipe: Recipe,
        place: torch.device,
        watch: Callbacks | None = None,
    ) -> None:
        dense_folder.checked(start)
        self.watch = watch or Callbacks()
        self.settings, self.recipe, self.device = settings, recipe, place
        self.sub_batch = recipe.sub_batch
        self.cuda = [place] if place.type == "cuda" else []
        built: dict[Path, Any] = {}
        self.towers: dict[str, Any] = {}
        for which in dense_folder.TOWERS:
            folder = dense_folder.tower(start, which)
            first = built.setdefault(folder, build(folder, settings))
            check_learns(start.name, first.config, first)
            check_room(start.name, first.config, which, getattr(settings, f"{which}_tokens"))
            # One encoder for both sides is where two begin.
            self.towers[which] = copy.deepcopy(first).to(place)
        config = self.towers["context"].config
        self.tokeniser = Tokeniser(start, config.model_type, config.vocab_size)
        weights = [weight for tower in self.towers.values() for weight in tower.parameters()]
        self.optimizer = torch.optim.Adam(weights, lr=recipe.rate)

    def epoch(self, pairs: Sequence[Pair], number: int) -> float:
        """Train one pass; return the mean loss of its steps."""
        self._mode(training=True)
        seed = self.recipe.seed * 1_000_003 + number
        every = steps(pairs, self.recipe.batch, seed, self.recipe.mixing)
        losses = []
        for at, chosen in enumerate(every, start=1):
            done = (number - 1) * len(every) + at
            for group in self.optimizer.param_groups:
                group["lr"] = self.recipe.rate * min(1.0, done / max(1, self.recipe.warmup))
            self.optimizer.zero_grad(set_to_none=True)
            value = float(self.learn(chosen))
            self.refuse_divergence(value, f"loss is {value} in epoch {number}, step {at}")
            self.optimizer.step()
            losses.append(value)
            self.watch.step(number, at, len(every), value)
        return float(np.mean(losses))

    def validate(self, pairs: Sequence[Pair]) -> float:
        """Return the mean loss of the steps of another split, nothing learned."""
        self._mode(training=False)
        with torch.no_grad():
            losses = [float(self.loss(each)) for each in steps(pairs, self.recipe.batch, seed=0)]
        return float(np.mean(losses))

    def refuse_divergence(self, value: float, what: str) -> None:
        """Raise `BadInput` where a loss is no number: nobody could go on from such an epoch."""
        if not math.isfinite(value):
            raise BadInput(
                f"The {what}: training has diverged. "
                f"Choose a rate below {self.recipe.rate:g}; epochs before this one are kept."
            )

    def learn(self, chosen: Sequence[Pair]) -> Any:
        """Add the gradients of one step's loss to the weights; return the loss without its graph.

        A step that does not fit into memory is learned again in halves, with cached gradients, and so are
        those after it.
        """
        state = torch.random.get_rng_state()
        on_gpu = [torch.cuda.get_rng_state(place) for place in self.cuda]
        try:
            return self._learn(chosen)
        except torch.OutOfMemoryError:
            if self.sub_batch == 1:
                raise
        # Outside the except block: the traceback keeps the failed step's memory.
        self.optimizer.zero_grad(set_to_none=True)
        torch.cuda.empty_cache()
        torch.random.set_rng_state(state)
        for place, before in zip(self.cuda, on_gpu, strict=True):
            torch.cuda.set_rng_state(before, place)
        self.sub_batch = ((self.sub_batch or len(chosen)) + 1) // 2
        return self.learn(chosen)

    def _learn(self, chosen: Sequence[Pair]) -> Any:
        if not self.sub_batch:
            loss = self.loss(chosen)
            loss.backward()
            return loss.detach()
        ids, masked = self._read(chosen)

        def part(which: str, batch: Sequence[int]) -> gradient_cache.TextBatch:
            def encode() -> Any:
                with self._mixed():
                    found = self._encode(which, ids[which], batch)
                self.watch.part(0)
                return found

            return gradient_cache.TextBatch(encode, batch)

        sides = [[part(which, batch) for batch in self._parts(each)] for which, each in ids.items()]
        loss = gradient_cache.backward(
            sides, lambda left, right: self._compare(left, right, masked), self.cuda
        )
        self.watch.part(sum(one.size for each in ids.values() for one in each))
        return loss

    def loss(self, chosen: Sequence[Pair]) -> Any:
        """Return the loss of one step."""
        ids, masked = self._read(chosen)
        with self._mixed():
            contexts, quotations = (self.vectors(which, each) for which, each in ids.items())
        return self._compare(contexts, quotations, masked)

    def _read(self, chosen: Sequence[Pair]) -> tuple[dict[str, list[Ids]], Any]:
        """Token ids of the contexts and of the quotations, and which scores do not count."""
        hard = self.recipe.hard_negatives
        texts = [pair.quotation for pair in chosen]
        texts += [each.text for pair in chosen for each in pair.wrong] if hard else []
        contexts = self.tokeniser.contexts([pair.query for pair in chosen], self.settings)
        quotations = self.tokeniser.quotations(texts, self.settings)
        masked = None
        if self.recipe.mask_overlaps:
            masked = torch.from_numpy(overlaps(chosen, hard=hard)).to(self.device)
        return {"context": contexts, "quotation": quotations}, masked

    def _compare(self, contexts: Any, quotations: Any, masked: Any) -> Any:
        return in_batch_loss(contexts.float(), quotations.float(), masked, self.recipe.scale)

    def _mixed(self) -> Any:
        """On a GPU bfloat16 halves the memory and doubles the rate; sums stay in float32."""
        return torch.autocast("cuda", dtype=torch.bfloat16, enabled=bool(self.cuda))

    def vectors(self, which: str, ids: Sequence[Ids]) -> Any:
        """Return vectors (n, width) in the order of `ids`, in length-grouped parts or padded to the limit."""
        parts, placed = [], []
        for batch in self._parts(ids):
            part = self._encode(which, ids, batch)
            self._tell(part, sum(ids[at].size for at in batch))
            parts.append(part)
            placed += list(batch)
        back = torch.from_numpy(np.argsort(np.array(placed, dtype=np.int64))).to(self.device)
        return torch.cat(parts)[back]

    def _encode(self, which: str, ids: Sequence[Ids], batch: Sequence[int]) -> Any:
        """Vectors (len(batch), width) of some texts, together."""
        tower = self.towers[which]
        limit = 0 if self.recipe.grouped else getattr(self.settings, f"{which}_tokens")
        tokens, mask = padded([ids[at] for at in batch], int(tower.config.pad_token_id), self.device, limit)
        return pooled(tower(input_ids=tokens, attention_mask=mask), mask, self.settings)

    def _tell(self, part: Any, tokens: int) -> None:
        """Say that a part was encoded, and once more when it is learned from: two thirds of a step's time."""
        self.watch.part(tokens)
        # On a GPU, gradients are computed in a thread of their own, and are quick.
        if part.requires_grad and not self.cuda:
            part.register_hook(lambda _: self.watch.part(0))

    def _parts(self, ids: Sequence[Ids]) -> Iterator[Sequence[int]]:
        """Positions of the texts of each part: of equal length within the budget, or all of them at once.

        With gradient caching no part is larger than `sub_batch`.
        """
        budget = GPU_BUDGET if self.cuda else CPU_BUDGET
        whole: list[Sequence[int]] = [range(len(ids))]
        if self.recipe.grouped:
            whole = [batch.tolist() for batch in by_budget([each.size for each in ids], budget)]
        most = self.sub_batch or len(ids)
        for batch in whole:
            for start in range(0, len(batch), most):
                yield batch[start : start + most]

    def _mode(self, *, training: bool) -> None:
        for tower in self.towers.values():
            tower.train(training)


def _over(curve: Sequence[Epoch], recipe: Recipe) -> bool:
    if len(curve) >= recipe.epochs:
        return True
    return bool(curve) and len(curve) - history.best(curve).number >= recipe.patience
