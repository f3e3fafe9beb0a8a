"""Settings of a study changed from what a script sends, by the forms of its steps, which know the rules."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.drafting import MOST_A_READER
from annotation.manage.forms.steps import CURRENCIES, GREATEST_SEED, MOST_MINUTES, STEPS, StepForm, noted
from annotation.models import Filling, OptionOrder, State, Study
from common.api import Conflict, StrictSerializer


class StudyChangesSerializer(StrictSerializer):
    """What is to be another; what is left out stays."""

    title = serializers.CharField(required=False, max_length=200)
    contact = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Whom readers may ask"
    )
    overlap = serializers.IntegerField(
        required=False, min_value=1, max_value=50, help_text="Readings of each item"
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=GREATEST_SEED)
    option_order = serializers.ChoiceField(OptionOrder.choices, required=False)
    filling = serializers.ChoiceField(Filling.choices, required=False)
    neighbours = serializers.BooleanField(
        required=False, help_text="Readers may open what stands before and behind a document"
    )
    earlier_answers = serializers.BooleanField(
        required=False, help_text="Readers may open their own earlier answers of a group"
    )
    source_after = serializers.BooleanField(
        required=False, help_text="Readers may read the passages in their book once they have answered"
    )
    quota = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_A_READER)
    lease_minutes = serializers.IntegerField(required=False, min_value=1, max_value=MOST_MINUTES)
    pass_mark = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=1000)
    check_every = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=1000)
    ask_confidence = serializers.BooleanField(required=False)
    ask_basis = serializers.BooleanField(required=False)
    rate = serializers.DecimalField(
        required=False,
        allow_null=True,
        min_value=0,
        max_digits=8,
        decimal_places=2,
        help_text="Paid for each item",
    )
    currency = serializers.ChoiceField(["", *CURRENCIES], required=False)


def change(study: Study, data: Any, by: User) -> None:
    """Change settings of a study, all of them or none, and record it.

    Raises ValidationError with the field that cannot be so, or Conflict for what is fixed in an open study.
    """
    asked = StudyChangesSerializer(data=data)
    asked.is_valid(raise_exception=True)
    with transaction.atomic():
        # As it is now: it may have opened since the script looked.
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        for step, form in STEPS.items():
            own = {
                name: value
                for name, value in asked.validated_data.items()
                if name in (form._meta.fields or ())
            }
            if own:
                noted(locked, step, changed(form, locked, own), by)


def changed(form: type[StepForm], study: Study, said: dict[str, Any]) -> dict[str, Any]:
    """Store what is said of the settings of a step; return what has changed, for the record."""
    there = form(study=study)
    for name, value in said.items():
        if name not in there.fields:
            raise ValidationError({name: [f"Studies of the task {study.task} have no such setting."]})
        if there.fields[name].disabled and value != getattr(study, name):
            state = State(study.state).label.lower()
            raise Conflict(f"{name} can be changed in a draft only, and this study is {state}.")
    made = form({**there.initial, **said}, study=study)
    if not made.is_valid():
        raise ValidationError({name: [str(each) for each in errors] for name, errors in made.errors.items()})
    return made.keep()
