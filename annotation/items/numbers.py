"""Whether the columns that follow from JSON say what the JSON beside them says.

The database cannot tell: which field of an answer is a number, the task type knows. `save()` and
`bulk_create()` always derive the columns, `update()` refuses them, and judgments are append-only; what
somebody wrote past all that is found here.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from django.db.models import Count, TextField
from django.db.models.functions import Cast

from annotation.models import Assignment, Item, Judgment, Study
from annotation.models.derived import OF_ANSWER
from annotation.models.work import DERIVED

AT_ONCE = 2000
OF_ITEM = tuple(sorted(DERIVED))
OF_JUDGMENT = (*OF_ANSWER, "position")


class StrayedNumbers(NamedTuple):
    """Rows of a study whose derived columns differ from their JSON.

    study: the study.
    items: how many items differ.
    judgments: how many judgments differ.
    """

    study: Study
    items: int
    judgments: int


def strayed_numbers(study: Study) -> StrayedNumbers:
    """Derive the columns of every row again, and count the rows that store other values."""
    items = study.items.order_by().values_list("payload", "gold", "provenance", *OF_ITEM)
    # As text, of which there are few different ones, however many judgments: each is read once.
    alike = [Cast(name, TextField()) for name in ("answer", "order")]
    judgments = Judgment.objects.filter(item__study=study).order_by().values_list(*alike, *OF_JUDGMENT)
    of_study = Assignment(study=study)
    return StrayedNumbers(
        study,
        sum(
            differs(Item(study=study, payload=payload, gold=gold, provenance=made), OF_ITEM, stored)
            for payload, gold, made, *stored in items.iterator(AT_ONCE)
        ),
        sum(
            n
            * differs(
                Judgment(assignment=of_study, answer=read(answer), order=read(order)), OF_JUDGMENT, stored
            )
            for answer, order, *stored, n in judgments.annotate(n=Count("pk"))
        ),
    )


def read(text: str | None) -> Any:
    """Return the value of a JSON text, None for none."""
    return None if text is None else json.loads(text)


def differs(row: Item | Judgment, columns: tuple[str, ...], stored: list[int | None]) -> bool:
    """Return whether an unsaved row derives other columns than those stored."""
    row.derive()
    return stored != [getattr(row, name) for name in columns]
