"""Assumptions filled in from a study that is being set up, and from a pilot."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from annotation.models import Kind, Study
from evaluation.metrics.planning.choices import ChoiceModel
from evaluation.planning.assumptions import ASKED, CHOICES, GRADES, SEVERAL, SPANS
from evaluation.planning.pilot import ANSWERS, Pilot


def of_study(study: Study) -> dict[str, Any]:
    """Items, readers and kind of answers of a study, as far as they are known."""
    known: dict[str, Any] = {"readers": study.overlap}
    work = study.items.filter(kind=Kind.WORK, retired=None)
    if n_items := work.count():
        known["items"] = n_items
    answers = ANSWERS.get(study.task_type.measure)
    if answers:
        known["answers"] = answers
    options = work.order_by("number").values_list("categories", flat=True).first()
    if options and answers in (CHOICES, GRADES):
        known["options" if answers == CHOICES else "grades"] = options
    return known


def _allowed(accuracy: float, kappa: float, options: int) -> float:
    """The κ nearest to the pilot's that the model of choices has for this accuracy, to four places."""
    least, most = (ChoiceModel(accuracy, end, options, 2).kappa for end in (0.0, 1.0))
    return min(floor(1e4 * most) / 1e4, max(ceil(1e4 * least) / 1e4, round(kappa, 4)))


def of_pilot(pilot: Pilot) -> dict[str, Any]:
    """What a pilot measured, rounded as people type it."""
    known: dict[str, Any] = {"answers": pilot.answers, "readers": pilot.readers}
    if pilot.options:
        known["grades" if pilot.answers == GRADES else "options"] = pilot.options
    if pilot.seconds:
        known["seconds"] = float(max(1, round(pilot.seconds)))
    accuracy, kappa = pilot.value("individual_accuracy"), pilot.value("generalised_fleiss_kappa")
    if accuracy is not None and kappa is not None and 0.01 <= accuracy <= 0.99:
        known["accuracy"] = round(100 * accuracy, 2)
        known["kappa"] = _allowed(known["accuracy"] / 100, kappa, pilot.options)
    overlap = pilot.value("observed_overlap")
    if pilot.answers in (SPANS, SEVERAL) and overlap is not None and 0.01 <= overlap <= 0.99:
        known["overlap"] = round(100 * overlap, 2)
    alpha = pilot.value("ordinal_alpha")
    if alpha is not None and 0 <= alpha <= ASKED["alpha"].most:
        known["alpha"] = round(alpha, 4)
    return known
