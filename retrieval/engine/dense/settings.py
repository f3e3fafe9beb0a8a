"""How a checkpoint's two encoders are used: where texts are cut, and how states become a score.

The defaults are those of dense-RELiC (Thai et al. 2022, section 3.2 and appendix): the mask token between the
left and the right context, 256 tokens of context cut symmetrically round it, 98 tokens of quotation, the
state of the first token, the dot product. What other published encoders need stands in `presets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from common.errors import BadInput

CHOICES: dict[str, tuple[str, ...]] = {
    "pooling": ("first", "pooler", "mean"),
    "similarity": ("dot", "cosine"),
    "gap": ("mask", "space"),
}
RANGES = {"context_tokens": (8, 512), "quotation_tokens": (8, 512)}
PREFIXES = ("context_prefix", "quotation_prefix")
LONGEST_PREFIX = 200
PRECISIONS = ("fp32", "bf16", "int8")


@dataclass(frozen=True)
class Settings:
    """How the two encoders of a checkpoint are used.

    pooling: what a text's vector is: state of the "first" token, "pooler", or "mean" of all tokens.
    similarity: "dot" product or "cosine" of two vectors.
    gap: what stands where the quotation was: the "mask" token or a "space".
    context_tokens, quotation_tokens: most tokens of each, special ones included.
    context_prefix, quotation_prefix: what the encoder was trained to read before each.
    """

    pooling: str = "first"
    similarity: str = "dot"
    gap: str = "mask"
    context_tokens: int = 256
    quotation_tokens: int = 98
    context_prefix: str = ""
    quotation_prefix: str = ""


def checked(given: Mapping[str, Any]) -> Settings:
    """Return the settings given, checked, with the defaults of the others.

    Raises:
        BadInput: a name is unknown, or a value is not among the choices or out of range.
    """
    known = [field.name for field in fields(Settings)]
    for name, value in given.items():
        if name not in known:
            raise BadInput(f"There is no encoder setting {name!r}; the settings are: {', '.join(known)}.")
        if name in CHOICES and value not in CHOICES[name]:
            raise BadInput(
                f"The encoder setting {name} is {value!r:.40}; it must be one of: {', '.join(CHOICES[name])}."
            )
        if name in RANGES:
            lowest, highest = RANGES[name]
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or not lowest <= value <= highest:
                raise BadInput(
                    f"The encoder setting {name} is {value!r:.40}; "
                    f"it must be a whole number from {lowest} to {highest}."
                )
        if name in PREFIXES and not (isinstance(value, str) and len(value) <= LONGEST_PREFIX):
            raise BadInput(
                f"The encoder setting {name} is {value!r:.40}; "
                f"it must be a text of at most {LONGEST_PREFIX} characters."
            )
    return Settings(**given)
