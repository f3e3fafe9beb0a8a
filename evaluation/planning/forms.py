"""The planner's forms, bound to the address: what is missing there has its usual value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django import forms
from django.db.models import QuerySet

from annotation.models import State, Study
from evaluation.planning.assumptions import (
    ASKED,
    CHOICES,
    GRADES,
    RUBRIC,
    SEVERAL,
    SPANS,
    Asked,
    Assumptions,
)
from retrieval.forms.acting import ActingForm

ANSWERS = (
    (CHOICES, "Choices"),
    (SPANS, "Spans"),
    (SEVERAL, "Several spans"),
    (GRADES, "Grades"),
    (RUBRIC, "A rubric"),
)


def _field(one: Asked) -> forms.Field:
    named: dict[str, Any] = {"label": one.label, "help_text": one.means, "required": not one.optional}
    if one.whole:
        return forms.IntegerField(**named, min_value=int(one.least), max_value=int(one.most))
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(**named, min_value=one.least, max_value=one.most, widget=widget)


def _plain(value: Any) -> Any:
    """A number as people type it: 5, not 5.0."""
    return f"{value:.10g}" if isinstance(value, float) else value


class PlanForm(ActingForm):
    """All assumptions that answers of the chosen sort need."""

    answers = forms.ChoiceField(label="Answers", choices=ANSWERS)

    def __init__(self, typed: Mapping[str, str], known: Mapping[str, Any]) -> None:
        """``typed``: of the address; ``known``: of a study or a pilot, by the names of assumptions."""
        usual = asdict(Assumptions()) | dict(known)
        data = {
            name: typed.get(name, "" if value is None else _plain(value)) for name, value in usual.items()
        }
        super().__init__(data)
        for name, one in ASKED.items():
            if one.of(data["answers"]):
                self.fields[name] = _field(one)

    @property
    def assumptions(self) -> Assumptions:
        """Of a valid form."""
        return Assumptions(**self.cleaned_data)


class ByTitle(forms.ModelChoiceField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Studies by their titles."""

    def label_from_instance(self, obj: Study) -> str:
        return obj.title


class PilotForm(forms.Form):
    """Which study is the pilot."""

    pilot = ByTitle(
        queryset=Study.objects.none(),
        to_field_name="slug",
        label="Pilot",
        help_text="A study that was read already.",
        empty_label="none: plan from assumptions",
        required=False,
    )

    def __init__(self, studies: QuerySet[Study], chosen: str) -> None:
        """``studies``: that the researcher directs."""
        super().__init__({"pilot": chosen})
        field = self.fields["pilot"]
        assert isinstance(field, ByTitle)  # noqa: S101
        field.queryset = studies.exclude(state=State.DRAFT).order_by("title", "slug")
