"""A checkpoint's two encoders: texts in, one vector a text out.

Outputs come in the order of the input. A vector
depends on the texts it was encoded with only in its last bits; where that matters (queries of a job)
texts are encoded one at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from common.errors import BadInput
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import threads
from retrieval.engine.dense.batches import CPU_BUDGET, GPU_BUDGET, by_budget
from retrieval.engine.dense.building import Projected, build, check_room, tokeniser
from retrieval.engine.dense.progress import EncodingProgress, Tell
from retrieval.engine.dense.settings import PRECISIONS, Settings
from retrieval.engine.dense.tokens import Ids
from retrieval.engine.ranking.order import Positions

Vectors = npt.NDArray[np.float32]
Keep = Callable[[Positions, Any, Any], None]
"""Called with the positions of some texts, the model's output for them, and their attention mask."""


def device(asked: str) -> torch.device:
    """Return `cpu` or `cuda`; with `auto` whichever is there.

    Raises:
        BadInput: a GPU is asked for where none is.
    """
    there = torch.cuda.is_available()
    if asked == "cuda" and not there:
        raise BadInput(
            "VARIORUM_DEVICE is cuda, but this worker sees no CUDA GPU: "
            "start the worker where one is, or set VARIORUM_DEVICE to cpu."
        )
    return torch.device("cuda" if there and asked != "cpu" else "cpu")


class Encoder:
    """Both encoders of a checkpoint on one device.

    Args:
        folder: A folder in the layout of `dense_folder`.
        precision: fp32, bf16, or int8 (dynamic, linear layers, CPU only).
        asked: `auto`, `cpu` or `cuda`.
        budget: Tokens a batch; None for the device's own.

    Raises:
        BadInput: the folder is refused, its parts do not fit each other or the settings, or there is no GPU.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        precision: str = "fp32",
        asked: str = "auto",
        budget: int | None = None,
    ) -> None:
        dense_folder.checked(folder)
        if precision not in PRECISIONS:
            raise BadInput(f"The precision is {precision!r:.40}; it must be one of: {', '.join(PRECISIONS)}.")
        self.settings, self.precision, self.device = settings, precision, device(asked)
        if precision == "int8" and self.device.type != "cpu":
            raise BadInput("The precision int8 is for the CPU; on a GPU choose bf16 or fp32.")
        self.budget = budget or (CPU_BUDGET if self.device.type == "cpu" else GPU_BUDGET)
        places = {which: dense_folder.tower(folder, which) for which in dense_folder.TOWERS}
        built = {place: build(place, settings) for place in dict.fromkeys(places.values())}
        self._models = {which: built[place] for which, place in places.items()}
        self._check(folder)
        config = self._models["context"].config
        self.tokeniser = tokeniser(folder, config)
        self.tokeniser.check(folder, config.vocab_size, int(config.pad_token_id))
        cast = {place: _cast(model, precision).to(self.device) for place, model in built.items()}
        self._models = {which: cast[place] for which, place in places.items()}

    @property
    def width(self) -> int:
        """Return how many numbers a vector has."""
        return _width(self._models["quotation"])

    @property
    def has_tokens(self) -> bool:
        """Return whether each token has a vector of its own, which late interaction compares."""
        return not isinstance(self._models["quotation"], Projected)

    def quotations(self, texts: Sequence[str], tell: Tell | None = None) -> Vectors:
        """Return vectors (n, width) of passages; `tell` is called after each batch."""
        return self.encode("quotation", self.tokeniser.quotations(texts, self.settings), tell)

    def contexts(self, queries: Sequence[str]) -> Vectors:
        """Return vectors (n, width) of queries, each encoded alone: the same bits whatever it comes with."""
        ids = self.tokeniser.contexts(queries, self.settings)
        rows = [self.encode("context", [each]) for each in ids]
        return np.concatenate(rows) if rows else np.empty((0, self.width), dtype=np.float32)

    def encode(self, which: str, ids: Sequence[Ids], tell: Tell | None = None) -> Vectors:
        """Return vectors (n, width) of token ids in their order, encoded in sorted token-budget batches."""
        vectors = np.empty((len(ids), self.width), dtype=np.float32)

        def keep(places: Positions, output: Any, mask: Any) -> None:
            vectors[places] = pooled(output, mask, self.settings).float().cpu().numpy()

        self.run(which, ids, keep, tell)
        return vectors

    def run(self, which: str, ids: Sequence[Ids], keep: Keep, tell: Tell | None = None) -> None:
        """Call `keep` with the output of every text, in sorted token-budget batches."""
        sizes = [each.size for each in ids]
        texts = tokens = 0
        with threads.fitting(int(self._models[which].config.hidden_size)):
            for batch in by_budget(sizes, self.budget):
                self._halving(which, ids, batch, keep)
                texts, tokens = texts + batch.size, tokens + sum(sizes[at] for at in batch)
                if tell:
                    tell(EncodingProgress("Encoding", texts, len(ids), tokens, sum(sizes)))

    def _halving(self, which: str, ids: Sequence[Ids], batch: Positions, keep: Keep) -> None:
        """Encode one batch; where memory is too small its halves, and smaller ones from then on."""
        try:
            self._forward(which, ids, batch, keep)
        except torch.OutOfMemoryError:
            if batch.size == 1:
                raise
        else:
            return
        # Outside the except block: the traceback keeps the failed batch's memory.
        torch.cuda.empty_cache()
        half = (batch.size + 1) // 2
        self.budget = max(1, half * max(ids[at].size for at in batch))
        self._halving(which, ids, batch[:half], keep)
        self._halving(which, ids, batch[half:], keep)

    def _forward(self, which: str, ids: Sequence[Ids], batch: Positions, keep: Keep) -> None:
        model = self._models[which]
        tokens, mask = padded([ids[at] for at in batch], int(model.config.pad_token_id), self.device)
        with torch.inference_mode():
            keep(batch, model(input_ids=tokens, attention_mask=mask), mask)

    def _check(self, folder: Path) -> None:
        models = [self._models[which] for which in dense_folder.TOWERS]
        values = [
            {"width": _width(each)}
            | {name: getattr(each.config, name) for name in ("model_type", "hidden_size", "vocab_size")}
            for each in models
        ]
        for name, first in values[0].items():
            if first != values[1][name]:
                raise BadInput(
                    f"The encoders of {folder.name} differ in {name}: "
                    f"{first} for contexts, {values[1][name]} for quotations."
                )
        for which, model in zip(dense_folder.TOWERS, models, strict=True):
            check_room(folder.name, model.config, which, getattr(self.settings, f"{which}_tokens"))


def padded(ids: Sequence[Ids], pad: int, place: torch.device, length: int = 0) -> tuple[Any, Any]:
    """Return token ids and attention mask (n, longest), int64; at least `length` wide."""
    width = max(length, *(each.size for each in ids))
    tokens = np.full((len(ids), width), pad, dtype=np.int64)
    mask = np.zeros((len(ids), width), dtype=np.int64)
    for row, each in enumerate(ids):
        tokens[row, : each.size] = each
        mask[row, : each.size] = 1
    return torch.from_numpy(tokens).to(place), torch.from_numpy(mask).to(place)


def pooled(output: Any, mask: Any, settings: Settings) -> Any:
    """Return one vector a text (n, width), float32; of length 1 where cosine is asked for."""
    if settings.pooling == "pooler":
        found = output.pooler_output.float()
    elif settings.pooling == "first":
        found = output.last_hidden_state[:, 0].float()
    else:
        states, weights = output.last_hidden_state.float(), mask.unsqueeze(-1).float()
        found = (states * weights).sum(1) / weights.sum(1)
    return torch.nn.functional.normalize(found, dim=1) if settings.similarity == "cosine" else found


def _width(model: Any) -> int:
    return int(model.width if isinstance(model, Projected) else model.config.hidden_size)


def _cast(model: Any, precision: str) -> Any:
    if precision == "bf16":
        return model.bfloat16()
    if precision == "int8":
        with warnings.catch_warnings():
            # torch announces a successor package; this entry is still the one that torch alone has.
            warnings.simplefilter("ignore")
            return torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    return model
