"""Other wordings of a topic's query: what one may say, and which a set has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from common.errors import BadField

PARTS = ("text", "lemmas")
"""What a wording says: its words, and the same words as lemmas with blanks between them."""
MOST = 100
"""Of a topic: those of fifty readers, the most that an item has, and as many others."""
LONGEST = 20_000
"""Characters of a text, and of its lemmas."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def check(wordings: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse wordings that are none.

    Raises:
        BadField: there are too many, one has a name that is none or says something else than `PARTS`, or no
            text, or too long a one.
    """
    if len(wordings) > MOST:
        raise BadField("wordings", f"The topic has {len(wordings):,} wordings; {MOST} are the most.")
    for name, said in wordings.items():
        if not _NAME.fullmatch(name):
            raise BadField(
                "wordings",
                f"The wording {name[:60]!r} needs a name of 1 to 60 letters, digits, - and _.",
            )
        if unknown := sorted(set(said) - set(PARTS)):
            raise BadField(
                "wordings",
                f"The wording {name!r} says {unknown[0][:60]!r}; it may say {' and '.join(PARTS)}.",
            )
        if not str(said.get("text", "")).strip():
            raise BadField("wordings", f"The wording {name!r} has no text.")
        if any(len(part) > LONGEST for part in said.values()):
            raise BadField("wordings", f"The wording {name!r} has more than {LONGEST:,} characters.")


def named(wordings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of the wordings of some topics, in alphabetical order."""
    return sorted({name for each in wordings for name in each})
