"""What stands before and behind an item's document in its source: shown where the study lets readers open it.

What was opened is stored with the assignment, and with each judgment from then on. A reader sees the
neighbour's words and title: no id, no rank, and nothing of what is said of it.
"""

from __future__ import annotations

from typing import NamedTuple

from annotation.models import Assignment, Enrolment, Item, Study
from retrieval.corpora.models import Document

STEPS = {"before": -1, "after": 1}


class Neighbour(NamedTuple):
    """A neighbour that can be opened.

    side: before or after.
    act: whose key opens it.
    document: the neighbour, where it is to be shown; else None.
    """

    side: str
    act: str
    document: Document | None = None


def offered(item: Item, study: Study, *, shown: str = "") -> tuple[Neighbour, ...]:
    """Return the neighbours that a reader of this item may open; `shown`: the side that is open."""
    if not study.neighbours:
        return ()
    found = _around(item)
    return tuple(
        Neighbour(side, f"neighbour_{side}", found[step] if side == shown else None)
        for side, step in STEPS.items()
        if step in found
    )


def _around(item: Item) -> dict[int, Document]:
    """Return the documents beside that of the item in the same source, by their steps from it."""
    rows = Document.objects.filter(pk=item.provenance.get("document")).exclude(source_key="")
    own = rows.only("corpus", "number", "source_key").first() if "pool" in item.provenance else None
    if own is None:
        return {}
    near = Document.objects.filter(corpus=own.corpus_id, source_key=own.source_key)
    near = near.filter(number__in=[own.number + step for step in STEPS.values()])
    return {each.number - own.number: each for each in near.select_related("corpus")}


def opened(assignment: Assignment, me: Enrolment, side: str) -> Neighbour | None:
    """Store that the reader opened that neighbour, and return it; None where there is none to open."""
    if not me.study.is_open or side not in STEPS:
        return None
    found = next((each for each in offered(assignment.item, me.study, shown=side) if each.document), None)
    known = assignment.neighbours or []
    if found is not None and STEPS[side] not in known:
        own = Assignment.objects.filter(pk=assignment.pk, annotator=me)
        own.update(neighbours=sorted([*known, STEPS[side]]))
    return found


def again(assignment: Assignment, side: str) -> str:
    """Return the side if the reader has opened it before: looking at a page alone opens nothing."""
    return side if STEPS.get(side) in (assignment.neighbours or []) else ""
