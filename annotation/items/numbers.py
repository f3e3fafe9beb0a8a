"""Whether the columns of numbers say what the JSON beside them says.

The database cannot tell: which field of an answer is a number, the task type knows. `save()` and
`bulk_create()` always derive the columns, `update()` refuses them, and judgments are append-only; what
somebody wrote past all that is found here.
"""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import Item, Judgment, Study
from annotation.models.derived import OF_ANSWER, OF_GOLD, OF_PAYLOAD

AT_ONCE = 2000
OF_ITEM = ("categories", *OF_PAYLOAD, *OF_GOLD)
OF_JUDGMENT = (*OF_ANSWER, "position")


class Strayed(NamedTuple):
    """How many items and judgments of a study have columns that say something else."""

    study: Study
    items: int
    judgments: int


def strayed_numbers(study: Study) -> Strayed:
    """Derive the columns of every row anew, and count the rows for which others are stored."""
    items = study.items.select_related("study").order_by()
    judgments = Judgment.objects.filter(item__study=study).select_related("assignment__study").order_by()
    return Strayed(
        study,
        sum(differs(each, OF_ITEM) for each in items.iterator(AT_ONCE)),
        sum(differs(each, OF_JUDGMENT) for each in judgments.iterator(AT_ONCE)),
    )


def differs(row: Item | Judgment, columns: tuple[str, ...]) -> bool:
    stored = [getattr(row, name) for name in columns]
    row.derive()
    return stored != [getattr(row, name) for name in columns]
