"""A report's pictures for print. It is imported only where a picture is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from common.pictures import paper
from common.pictures.marks import Picture
from common.pictures.paper import Drawn
from evaluation.figures import marks
from evaluation.values.lines import Line


def draw(
    lines: Sequence[Line], others: Iterable[tuple[str, Picture]], form: str, *, simulated: bool
) -> Iterator[Drawn]:
    """The measures and then ``others``, in the format ``form``.

    ``simulated``: whether readers were programs, which is then written over every picture.
    """
    found = marks.measures(lines)
    first: list[tuple[str, Picture]] = [("measures", found)] if found.dots else []
    return paper.draw((*first, *others), form, marks.SIMULATED if simulated else "")
