"""The report of a study in every format, under the names that it has in a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from annotation.models import Study
from common.tables import json
from evaluation.bundle.basis import basis
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS

FOLDER = "report/"
BASIS = f"{FOLDER}basis.json"


class Asked(NamedTuple):
    """How a report is made, and what it prints of its making.

    computed: the time that it prints.
    resamples, weighting: as the report takes them; a weighting may be empty.
    measures: the version of the code that it prints; empty for that of this code.
    """

    computed: datetime
    resamples: int
    weighting: str = ""
    measures: str = ""


def written(study: Study, asked: Asked) -> Iterator[tuple[str, str]]:
    """Yield each file of the report: its name and its text; the last is what the numbers stand on.

    Raises BadInput for a weighting that the study's kind of data does not offer.
    """
    found = report(
        study, resamples=asked.resamples, weighting=asked.weighting, now=asked.computed, again=True
    )
    found = found._replace(version=asked.measures or found.version)
    for form in FORMATS.values():
        yield f"{FOLDER}report.{form.extension}", form.render(found)
    yield BASIS, json.written(basis(study))
