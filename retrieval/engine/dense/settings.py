"""How a checkpoint's two encoders are used: where texts are cut, and how states become a score.

The defaults are those of dense-RELiC (Thai et al. 2022, section 3.2 and appendix): the mask token between the
left and the right context, 256 tokens of context cut symmetrically round it, 98 tokens of quotation, the
state of the first token, the dot product. What other published encoders need stands in `presets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from common.errors import BadInput

CHOICES: dict[str, tuple[str, ...]] = {
    "pooling": ("first", "pooler", "mean"),
    "similarity": ("dot", "cosine"),
    "gap": ("mask", "space", "written"),
    "cut": ("both", "end"),
}
RANGES = {"context_tokens": (8, 512), "quotation_tokens": (8, 512)}
ALL = 0
"""In place of a number of tokens: the whole text, for encoders that read any length."""
PREFIXES = ("context_prefix", "quotation_prefix")
LONGEST_PREFIX = 200
PRECISIONS = ("fp32", "bf16", "int8")


@dataclass(frozen=True)
class Settings:
    """How the two encoders of a checkpoint are used.

    pooling: what a text's vector is: state of the "first" token, "pooler", or "mean" of all tokens.
    similarity: "dot" product or "cosine" of two vectors.
    gap: what stands where the quotation was: the "mask" token, a "space", or the characters <mask>, "written"
        like any other word.
    context_tokens, quotation_tokens: most tokens of each, special ones included; `ALL` cuts nothing.
    context_prefix, quotation_prefix: what the encoder was trained to read before each.
    cut: where a context that is too long is cut: at "both" sides, so that the gap stays in the middle, or at
        its "end".
    """

    pooling: str = "first"
    similarity: str = "dot"
    gap: str = "mask"
    context_tokens: int = 256
    quotation_tokens: int = 98
    context_prefix: str = ""
    quotation_prefix: str = ""
    cut: str = "both"

    def named(self) -> dict[str, Any]:
        """Return the settings by name, as they are written beside what was made with them.

        `cut`, which came later, is left out at its default: what was made before is still found.
        """
        return {name: value for name, value in asdict(self).items() if (name, value) != ("cut", "both")}


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
            if not whole or not (lowest <= value <= highest or value == ALL):
                raise BadInput(
                    f"The encoder setting {name} is {value!r:.40}; "
                    f"it must be a whole number from {lowest} to {highest}, or {ALL} for the whole text."
                )
        if name in PREFIXES and not (isinstance(value, str) and len(value) <= LONGEST_PREFIX):
            raise BadInput(
                f"The encoder setting {name} is {value!r:.40}; "
                f"it must be a text of at most {LONGEST_PREFIX} characters."
            )
    return Settings(**given)
