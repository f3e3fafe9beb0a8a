"""The form of a stopping rule: half widths are typed in points, as in the planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from annotation.studies.running.stopping import MOST_ITEMS, MOST_LOOKS, Rule
from evaluation.metrics.common.measure import MeasureOf
from evaluation.values.wording import headed
from retrieval.forms.acting import ActingForm

POINTS = 100
USUAL = {"width": 5, "items": 60, "every": 20, "most": 8}


class RuleForm(ActingForm):
    """The rule of a draft. ``blamed``: above the form stands what is about no field."""

    measure = forms.ChoiceField(
        label="What is looked at", required=False, help_text="Its interval, as the report makes it."
    )
    spending = forms.ChoiceField(
        label="Reading may stop",
        required=False,
        choices=[
            ("", "when the 95 % interval is narrow enough"),
            ("obrien_fleming", "when a comparison is decided: early only if far off (O’Brien and Fleming)"),
            ("pocock", "when a comparison is decided: early as easily as late (Pocock)"),
        ],
        help_text="A comparison has an error of 5 % over all its looks together.",
    )
    width = forms.FloatField(
        label="Half width wanted, in points",
        required=False,
        min_value=0.1,
        max_value=50,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="5: an accuracy of 85 % is known from 80 to 90 %, κ ± .05.",
    )
    threshold = forms.FloatField(
        label="Compared with, in points",
        required=False,
        min_value=-100,
        max_value=100,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="For a comparison: 85 is an accuracy of 85 %, κ .85. With a run usually 0.",
    )
    run = forms.ChoiceField(
        label="Which run",
        required=False,
        help_text="Where readers are compared with a run: answers that were read in before.",
    )
    items = forms.IntegerField(
        label="Fully read items at the first look",
        min_value=2,
        max_value=MOST_ITEMS,
        help_text="From fewer than 60 the width of an interval is itself hardly known.",
    )
    every = forms.IntegerField(label="Then every so many fully read items", min_value=1, max_value=MOST_ITEMS)
    most = forms.IntegerField(label="Looks at most", min_value=1, max_value=MOST_LOOKS)
    closes = forms.BooleanField(
        label="Close the study as soon as the rule is met",
        required=False,
        help_text="Otherwise its pages say that the rule is met, and you close it. A closed study can be "
        "opened again.",
    )

    def __init__(
        self,
        data: QueryDict | None,
        measures: tuple[MeasureOf[Any], ...],
        runs: Sequence[str],
        rule: Rule | None,
    ) -> None:
        """``runs``: what readers can be compared with; ``rule``: what is set now."""
        super().__init__(data, initial=_shown(rule) if rule else USUAL)
        if not runs:
            del self.fields["run"]
        elif isinstance(which := self.fields["run"], forms.ChoiceField):
            which.choices = [("", "none"), *((name, name) for name in runs)]
        field = self.fields["measure"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared so
        named = [(one.slug, headed(one.label)) for one in measures]
        field.choices = [("", "nothing: reading goes on until all is read"), *named]
        if data is not None and not data.get("measure"):
            for name in USUAL:
                self.fields[name].required = False

    @property
    def rule(self) -> Rule | None:
        """Of a valid form: None where nothing is looked at."""
        said = self.cleaned_data
        if not said["measure"]:
            return None
        # The field of the other rule stands there with what is usual, and is not meant.
        meant = {"width": None, "threshold": None} | {
            name: said[name] / POINTS
            for name in ("threshold" if said["spending"] else "width",)
            if said[name] is not None
        }
        return Rule(**{**said, **meant})


def _shown(rule: Rule) -> dict[str, Any]:
    """The rule as it was typed in."""
    points = {name: getattr(rule, name) for name in ("width", "threshold")}
    typed = {name: "" if value is None else f"{POINTS * value:.6g}" for name, value in points.items()}
    return rule._asdict() | typed
