"""The form of a stopping rule: half widths are typed in points, as in the planner."""

from __future__ import annotations

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
        label="What is looked at", required=False, help_text="Its 95 % interval, as the report prints it."
    )
    width = forms.FloatField(
        label="Half width wanted, in points",
        min_value=0.1,
        max_value=50,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="5: an accuracy of 85 % is known from 80 to 90 %, κ ± .05.",
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
        self, data: QueryDict | None, measures: tuple[MeasureOf[Any], ...], rule: Rule | None
    ) -> None:
        """``rule``: what is set now."""
        now = rule._asdict() | {"width": f"{POINTS * rule.width:.6g}"} if rule else USUAL
        super().__init__(data, initial=now)
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
        return Rule(**{**said, "width": said["width"] / POINTS})
