"""The canonical order of an item's options: drawn here, whatever order they came in.

In a file the right option often stands first in every line. Its number would then be a role, which readers
might guess and coefficients of agreement would describe.

The draw depends on the study's seed and on the options themselves, never on the order in which they came: the
same item gets the same order whenever it is loaded, and who knows the seed learns nothing of what is right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from random import Random
from typing import Any

from annotation.items.covering import BUILT
from annotation.models import Item, Study

CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def order_drawn(provenance: Mapping[str, Any]) -> bool:
    """Return whether the order of an item's options was drawn here; `ItemQuerySet.drawn` asks it of many.

    Items of candidate jobs have always been drawn; those from before this was noted are known by their job.
    """
    return bool(provenance.get("drawn")) or "job" in provenance


def draw(item: Item, study: Study) -> Item:
    """Put the options of an unsaved item into the order drawn for this study, and set its digest; return it.

    An item whose order was drawn before stays as it is.

    Provenance then says so (`drawn`), which number each option had before (`file_order`, by its number
    now), and what the item is whatever the order of its options (`content`, a sha256).
    """
    task = study.task_type
    options = task.options(item.payload)
    if not options or order_drawn(item.provenance):
        item.digest = item.digest or digest(item.payload)
        return item
    order = sorted(range(len(options)), key=lambda number: CANONICAL.encode(options[number]))
    content = digest(task.reordered(_as_built(item, study), None, order)[0])
    Random(f"{study.seed}:{content}:options").shuffle(order)  # noqa: S311 - not a secret
    item.payload, item.gold = task.reordered(item.payload, item.gold, order)
    item.provenance = {**item.provenance, "drawn": True, "file_order": order, "content": content}
    item.digest = digest(_as_built(item, study))
    return item


def _as_built(item: Item, study: Study) -> dict[str, Any]:
    """The payload before words of its context were covered: a file that holds it so is to be known again."""
    texts = item.provenance.get(BUILT)
    return study.task_type.with_context(item.payload, texts) if texts else item.payload


def digest(payload: dict[str, Any]) -> str:
    """Return the SHA-256 of the payload as canonical JSON: it differs where a word or the order differs."""
    return hashlib.sha256(CANONICAL.encode(payload).encode()).hexdigest()
