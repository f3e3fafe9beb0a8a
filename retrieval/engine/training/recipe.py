"""How two encoders are trained: the paper's numbers, and switches for what it could not do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite

from common.errors import BadInput

MIXING = ("each", "drawn")
RANGES: dict[str, tuple[float, float]] = {
    "batch": (2, 10_000),
    "epochs": (1, 1000),
    "rate": (1e-9, 1.0),
    "patience": (1, 1000),
    "warmup": (0, 1_000_000),
    "scale": (1e-3, 1000.0),
    "sub_batch": (0, 10_000),
    "seed": (0, 2**31),
}


@dataclass(frozen=True)
class Recipe:
    """How two encoders are trained.

    batch: pairs of a step.
    epochs: the most there are.
    rate: the learning rate.
    patience: epochs without a lower validation loss before training ends.
    warmup: steps to the full rate.
    scale: multiplies scores before the softmax: 1 for the dot product, about 20 for cosine.
    mask_overlaps: wrong answers of a step that overlap the right one do not count.
    hard_negatives: each pair's wrong passages join the step.
    grouped: a step is encoded in parts of equal length, to the same loss; else all is padded to the limits,
        as in the paper's code.
    sub_batch: most texts encoded at once, with gradients cached: the same gradients in the memory of one
        part, in a third more time; 0 encodes a step at once.
    mixing: of pairs with contexts of several sizes, an epoch uses `each`, or one, `drawn` anew for each pair
        and epoch; losses of validation are the mean over all.
    seed: of every random draw.
    """

    batch: int = 100
    epochs: int = 10
    rate: float = 1e-5
    patience: int = 2
    warmup: int = 0
    scale: float = 1.0
    mask_overlaps: bool = False
    hard_negatives: bool = False
    grouped: bool = True
    sub_batch: int = 0
    mixing: str = "each"
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises BadInput where a number is out of range, or the mixing none of the two."""
        if self.mixing not in MIXING:
            raise BadInput(
                f"The training parameter mixing is {self.mixing!r:.40}; "
                f"it must be one of: {', '.join(MIXING)}."
            )
        for field in fields(self):
            if field.name not in RANGES:
                continue
            lowest, highest = RANGES[field.name]
            value = getattr(self, field.name)
            if not isfinite(value) or not lowest <= value <= highest:
                raise BadInput(
                    f"The training parameter {field.name} is {value!r:.40}; "
                    f"it must be a number from {lowest:g} to {highest:g}."
                )
