"""The planner of a validation: how many readings and judged items are needed, by form and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms

from evaluation.metrics.validation import planner
from evaluation.metrics.validation.anchoring import Arm
from evaluation.validation.compute import Validation
from evaluation.values.wording import listed
from retrieval.forms.acting import ActingForm


def _percent(
    label: str, initial: int, help_text: str = "", least: int = 1, most: int = 99
) -> forms.IntegerField:
    field = forms.IntegerField(
        label=label, initial=initial, min_value=least, max_value=most, required=False, help_text=help_text
    )
    field.needed = "empty: the usual value"  # type: ignore[attr-defined]
    return field


PILOTED = {"agreement_with_machine": "agreement", "share_from_": "relevant"}
"""Fields that a study's own readings fill in, by the estimate they are taken from."""


class PlanForm(ActingForm):
    """Bound to the address; what is left empty has its usual value. All numbers are percent."""

    agreement = _percent(
        "Agreement with the machine, blind",
        75,
        "Of 100 answers given without seeing its own, how many are like it.",
    )
    points = _percent(
        "Pull to be found, in points",
        10,
        "How much more often readers agree who see its answer first.",
        1,
        50,
    )
    blind = _percent("Readings that are blind", 50, "Of those compared. Half and half needs the fewest.")
    relevant = _percent("Items that are relevant", 25, "Of all that the machine judged, as you expect.")
    width = _percent(
        "How exactly to know that, in points", 3, "Half of the interval: ± 3 is from 22 to 28.", 1, 50
    )

    def of(self, name: str) -> float:
        """The value as a share, 0 to 1."""
        found = self.cleaned_data.get(name)
        return float(self.fields[name].initial if found is None else found) / 100


def usual(found: Validation) -> dict[str, str]:
    """What stands in the fields before anything was typed: what this study's readings say so far, where they
    say it, and else what is usual."""
    return {name: str(field.initial) for name, field in PlanForm.base_fields.items()} | {
        name: str(min(99, max(1, round(100 * value)))) for name, value in so_far(found).items()
    }


def so_far(found: Validation) -> dict[str, float]:
    """Blind agreement with the machine and the share of relevant items, 0 to 1, where they are known."""
    known = {}
    for each in found.estimates:
        name = PILOTED.get(each.estimand.slug.rstrip("0123456789"))
        if name and each.powered and not each.reason:
            known[name] = each.powered.value
    return known


def planned(form: PlanForm, found: Validation) -> Iterator[str]:
    """What the wishes take, and what this sample can show. Of a valid form."""
    if known := [str(form.fields[name].label) for name in so_far(found)]:
        yield f"From this study’s readings so far, until other numbers are typed: {listed(known)}."
    agreement, points, blind = form.of("agreement"), form.of("points"), form.of("blind")
    if agreement + points > 1:
        yield "Agreement cannot rise above 100 %: give a smaller shift, or a smaller blind agreement."
    else:
        n = planner.items_for_shift(agreement, points, blind)
        yield (
            f"To find a shift of {100 * points:.0f} points from {100 * agreement:.0f} % four times "
            "out of five, "
            f"{n:,} readings are needed, blind and shown first together, {100 * blind:.0f} % of them blind."
        )
        sizes = dict(found.arms)
        if sizes.get(Arm.PREFILLED) and sizes.get(Arm.BLIND):
            later = sizes[Arm.REVEAL] if found.meter and not found.meter.blind_only else 0
            early = sizes[Arm.BLIND] + later
            power = planner.power_for_shift(agreement, points, early, sizes[Arm.PREFILLED])
            yield (
                f"The readings of this sample so far find such a shift {100 * power:.0f} times in 100 (first "
                "answers of those shown afterwards count as blind)."
            )
    left, whole = planner.variances_of_share(form.of("relevant"), agreement)
    if found.n_items:
        size = planner.items_for_width(found.n_items, form.of("width"), left, whole)
        yield (
            f"For the share of relevant items ± {100 * form.of('width'):.0f} points on these "
            f"{found.n_items:,} items, "
            f"{size.with_machine:,} judged items in strata by the machine’s grade are needed, if it is right "
            f"{100 * agreement:.0f} % of the time; a simple random sample without it needs "
            f"{size.at_random:,}."
        )
    for towards, away in ((0.05, 0.01), (0.1, 0.01), (0.15, 0.02)):
        yield (
            f"Shown afterwards: {planner.items_for_reveal(towards, away):,} readings find that "
            f"{100 * towards:.0f} % "
            f"change towards the machine and {100 * away:.0f} % away from it."
        )
