"""A form field for each kind of parameter a ranker can have."""

from __future__ import annotations

from django import forms

from retrieval.dense import checkpoints
from retrieval.engine.ranking import rankers
from retrieval.engine.words.kinds import NAMED
from retrieval.words import offered


def parameter_field(
    parameter: rankers.AnyParameter, label: str, kept: offered.Kept | None = None
) -> forms.Field:
    """Return a form field for a ranker's parameter; left empty, it stands for the default.

    `kept`: what is known of words, where the caller makes many fields.
    """
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
    kind = NAMED.get(parameter.kind)
    if kind is None:
        known = [(each.slug, str(each)) for each in checkpoints.all_checkpoints()]
    else:
        known = [(each, each) for each in (kept or offered.kept())[kind.slug]]
    one, none = "the only one there is", "none is there yet"
    empty = none if not known else "none" if parameter.optional else one if len(known) == 1 else "choose one"
    about = []
    if parameter.when:
        other, value = parameter.when
        about.append(f"Used where {other} is {value}.")
    if kind is not None and not known:
        about.append(f"To add one: manage.py add_words {kind.slug} FILE --name NAME")
    return forms.ChoiceField(
        label=label, required=False, choices=[("", f"({empty})"), *known], help_text=" ".join(about)
    )
