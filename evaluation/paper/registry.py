"""All layouts by name. A new one is a file in `layouts` and a name here."""

from __future__ import annotations

from annotation.models import Study
from common.errors import BadField, BadInput
from evaluation.paper.layouts import allusion, birco_2, figures, manjavacas_1, relic_3, relic_4, relic_a9
from evaluation.paper.values import Asked, Filled, Layout

LAYOUTS: dict[str, Layout] = {
    each.name: each
    for each in (
        relic_3.LAYOUT,
        relic_4.LAYOUT,
        relic_a9.LAYOUT,
        manjavacas_1.LAYOUT,
        *allusion.LAYOUTS,
        *figures.LAYOUTS,
        birco_2.LAYOUT,
    )
}


def layout(name: str) -> Layout:
    """Return the layout of that name. Raises `BadField`, which lists those there are."""
    if name not in LAYOUTS:
        raise BadField("layout", f"There is no layout “{name}”; there are: {', '.join(LAYOUTS)}.")
    return LAYOUTS[name]


def filled(name: str, asked: Asked) -> Filled:
    """Return the layout with the study's numbers. Raises `BadInput`: why it cannot be filled."""
    found = layout(name)
    if found.missing(asked.study) and not asked.runs:
        raise BadInput(f"{found.name} cannot be filled. {found.missing(asked.study)}")
    return found.fill(asked)


def states(study: Study) -> list[tuple[Layout, str]]:
    """Return every layout with why this study cannot fill it, empty where it may."""
    return [(each, each.missing(study)) for each in LAYOUTS.values()]
