"""A study's pictures by name, on its pages and for print."""

from __future__ import annotations

from itertools import chain
from threading import Lock

from annotation.models import Study
from common.errors import BadField, BadInput
from common.pictures.marks import Picture
from evaluation.difficulty import tables
from evaluation.difficulty.report import difficulty
from evaluation.figures import marks
from evaluation.kinds.registry import kind_of
from evaluation.values.report import Report

TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
WITHOUT = "Figures need matplotlib on the server: python -m pip install -r requirements-figures.txt"
EFFECTS = "effects"
"""The picture of what makes items hard, which is fitted only when it is asked for."""
ONE_AT_A_TIME = Lock()
"""matplotlib keeps its settings and fonts for the whole process, and threads would mix them."""


def pictures(study: Study, found: Report) -> dict[str, Picture]:
    """Return every picture of a report by its name; none where there are no numbers."""
    if found.problem:
        return {}
    panels = ((each.name, each) for each in marks.panels(found))
    return dict(chain(panels, kind_of(study).drawings(found)))


def drawn(study: Study, found: Report, name: str, form: str) -> bytes:
    """Return one picture as a file of that type. Raises `BadInput`: there is none such, or no matplotlib."""
    known = pictures(study, found)
    if name == EFFECTS and (effects := tables.picture(difficulty(study))):
        known[name] = effects
    if name not in known:
        there = f"there are: {', '.join(known)}" if known else "there is none yet"
        raise BadField("figure", f"“{found.slug}” has no figure “{name}”; {there}.")
    if form not in TYPES:
        raise BadField("form", f"A figure comes as {', '.join(TYPES)}, not {form!r:.20}.")
    picture = known[name]
    with ONE_AT_A_TIME:
        try:
            from common.pictures import paper
        except ImportError as error:
            if error.name != "matplotlib":
                raise
            raise BadInput(WITHOUT) from None
        above = marks.SIMULATED if found.simulated else ""
        (one,) = paper.draw([(name, picture)], form, above)
    return one.data
