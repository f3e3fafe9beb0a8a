"""Studies of relevance with judgments in them, written through the models."""

from __future__ import annotations

from annotation.models import Study
from annotation.tasktypes.scales import SCALES
from tests.evaluation.graded import row
from tests.evaluation.judged import NAMES, filled


def payload(topic: str, document: str, scale: str = "five", rationale: str = "") -> dict:
    return {
        **({"rationale": rationale} if rationale else {}),
        "topic": {"id": topic, "title": f"Lamps of {topic}"},
        "document": {"id": document, "text": f"The lamps of {document} stood on the wall."},
        "scale": SCALES[scale],
    }


def judged(
    votes: dict[tuple[str, str], str],
    *,
    slug: str = "lamps",
    by=None,
    names=NAMES,
    scale="five",
    rationale="",
    fields=None,
) -> Study:
    """Topic and document with what each reader said: a digit is a grade, u can't decide, b broken, . nothing
    yet."""
    rows = (
        (payload(topic, document, scale, rationale), None, said) for (topic, document), said in votes.items()
    )
    return filled("relevance", rows, row, slug=slug, by=by, names=names, fields=fields)
