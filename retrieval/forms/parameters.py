"""A form field for each kind of parameter a ranker can have."""

from __future__ import annotations

from django import forms

from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers


def parameter_field(parameter: rankers.AnyParameter, label: str) -> forms.Field:
    """Return a form field for a ranker's parameter; left empty, it stands for the default."""
    if isinstance(parameter, rankers.Parameter):
        return forms.FloatField(
            label=label,
            required=False,
            min_value=parameter.lowest,
            max_value=parameter.highest,
            initial=parameter.default,
            help_text=f"From {parameter.lowest:g} to {parameter.highest:g}. Empty: {parameter.default:g}.",
            widget=forms.NumberInput(attrs={"step": "any"}),
        )
    if isinstance(parameter, rankers.OneOf):
        choices = [(each, each) for each in parameter.choices]
        return forms.ChoiceField(label=label, required=False, choices=choices, initial=parameter.default)
    known = [(each.slug, str(each)) for each in checkpoints.all_checkpoints()]
    empty = "the only one there is" if len(known) == 1 else "none is there yet" if not known else "choose one"
    return forms.ChoiceField(label=label, required=False, choices=[("", f"({empty})"), *known])
