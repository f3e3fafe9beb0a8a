"""New studies, and items for them, from what a script sends."""

from __future__ import annotations

from secrets import randbelow
from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.items import files
from annotation.items.complaints import sentences_of
from annotation.items.from_excerpts import fields_of
from annotation.items.payloads import Added, add_payloads
from annotation.models import Filling, OptionOrder, Study
from annotation.studies import build
from annotation.studies.running.adding import grow
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid
from common.api import Conflict, StrictSerializer
from common.errors import BadInput

MOST_ITEMS = 10_000
"""Items in one request."""
MOST_A_READER = 10**6
"""Items that a quota may be."""
SEEDS = 1_000_000
"""A seed is drawn below this: short enough to be copied by hand."""


class NewStudySerializer(StrictSerializer):
    """A new draft. An unknown field is an error, never silently ignored."""

    slug = serializers.SlugField(max_length=80, help_text="The short name, for addresses and files")
    title = serializers.CharField(max_length=200)
    task = serializers.ChoiceField(sorted(registry.all_types()))
    overlap = serializers.IntegerField(
        default=3, min_value=1, max_value=50, help_text="Readings of each item"
    )
    seed = serializers.IntegerField(
        required=False, min_value=0, max_value=2**62, help_text="Left out: drawn, below a million"
    )
    guidelines = serializers.CharField(
        default="", allow_blank=True, max_length=build.LONGEST_GUIDELINES, help_text="Markdown"
    )
    option_order = serializers.ChoiceField(OptionOrder.choices, default=OptionOrder.PER_ANNOTATOR)
    filling = serializers.ChoiceField(Filling.choices, default=Filling.DEPTH)
    quota = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=MOST_A_READER,
        help_text="At most so many items a reader",
    )
    pass_mark = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=1000)
    check_every = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=1000)
    ask_confidence = serializers.BooleanField(default=False)
    ask_basis = serializers.BooleanField(default=False)
    job = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**62,
        help_text="A finished candidate job that gives the items",
    )
    beyond = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=10**9,
        help_text="Only excerpts whose gold it ranked beyond this",
    )


class NewItemsSerializer(StrictSerializer):
    """Items, each as a line of a file of items has it."""

    items = serializers.ListField(
        child=serializers.DictField(), min_length=1, max_length=MOST_ITEMS, help_text="docs/loading.md"
    )
    template = serializers.CharField(
        default="", allow_blank=True, max_length=80, help_text="Of the task, for fields that all items share"
    )
    printed = serializers.BooleanField(
        default=False,
        help_text="Add them to an open study even where an answer can then be found without reading",
    )


def draft(data: Any, by: User) -> Study:
    """Make a study. Raises ValidationError with the field that is wrong."""
    asked = NewStudySerializer(data=data)
    asked.is_valid(raise_exception=True)
    said = {"seed": randbelow(SEEDS), **asked.validated_data}
    job = said.pop("job", None)
    if job is None and "beyond" in said:
        raise ValidationError({"beyond": ["A rank needs the job that ranked: name it, or leave this out."]})
    field = "slug" if job is None else "job"
    try:
        return (
            build.make_draft(**said, by=by)
            if job is None
            else build.build_study(**said, job=job, by=by).study
        )
    except (BadInput, Invalid) as error:
        if Study.objects.filter(slug=said["slug"]).exists():
            raise Conflict(str(error)) from error
        raise ValidationError({getattr(error, "field", "") or field: [str(error)]}) from error


def add_items(study: Study, data: Any, by: User) -> Added:
    """Add items to a draft, or to an open study with their assignments.

    Raises ValidationError that counts items from 1, or Conflict.
    """
    asked = NewItemsSerializer(data=data)
    asked.is_valid(raise_exception=True)
    said = asked.validated_data

    def add(locked: Study) -> Added:
        task = locked.task_type
        try:
            shared = fields_of(task, said["template"]) if said["template"] else {}
            lines = ((f"item {n}", each) for n, each in enumerate(said["items"], 1))
            entries = files.of_lines(task, lines, shared)
            return add_payloads(locked, entries, by=by, source="API", to_open=True)
        except BadInput as error:
            raise ValidationError({"items": sentences_of(error)}) from error

    try:
        return grow(study, add, by=by, printed=said["printed"])[0]
    except BadInput as error:
        raise Conflict(str(error)) from error
