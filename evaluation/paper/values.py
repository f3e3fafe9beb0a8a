"""What a layout is, and what it becomes when a study fills it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from annotation.models import Study
from common.pictures.marks import Picture
from common.tables.table import Table
from evaluation.metrics.common.intervals import LEVEL, RESAMPLES
from evaluation.runs.files import ReadRun

NAMED_PAPERS = {
    "relic": "Thai, Chang, Krishna and Iyyer 2022 (RELiC)",
    "manjavacas": "Manjavacas, Long and Kestemont 2019",
    "birco": "BIRCO 2024",
}


class Asked(NamedTuple):
    """What a layout is filled with.

    study: whose numbers stand in it.
    resamples: of intervals.
    runs: rank files beside the stored runs, for layouts of runs.
    """

    study: Study
    resamples: int = RESAMPLES
    runs: tuple[ReadRun, ...] = ()


class Filled(NamedTuple):
    """A layout with a study's numbers in it.

    layout: its name; study: the slug of the study, or of the judgments where there is no study.
    table: rows and columns as the paper has them; the caption says definition, n, interval and seed.
    notes: sentences below it.
    warning: that readers were programs; empty where they were people.
    pictures: of a figure, each with the name of its file; the table holds their numbers.
    wide: across both columns of a page, whatever its width.
    seed, resamples, level: of the intervals.
    computed, version: when, and by which code.
    """

    layout: str
    study: str
    table: Table
    notes: tuple[str, ...]
    seed: int
    resamples: int
    computed: datetime
    version: str
    warning: str = ""
    pictures: tuple[tuple[str, Picture], ...] = ()
    wide: bool = False
    level: float = LEVEL


class Layout(NamedTuple):
    """A table or figure of a paper that a study can fill.

    name: how commands and addresses call it, such as ``relic-3``.
    number: as the paper has it, such as ``Table 3``.
    title: what it shows.
    needs: which study and runs it needs, in a sentence without a full stop.
    missing: why this study cannot fill it, in a sentence, found without computing; empty where it may.
    fill: the study's numbers in it. Raises `BadInput` with the sentence that says why there are none.
    """

    name: str
    number: str
    title: str
    needs: str
    missing: Callable[[Study], str]
    fill: Callable[[Asked], Filled]

    @property
    def paper(self) -> str:
        """Return the paper in words."""
        return NAMED_PAPERS[self.name.partition("-")[0]]

    @property
    def is_figure(self) -> bool:
        """Return whether it is drawn."""
        return self.number.startswith("Figure")
