"""Guidelines: what readers are told. Append-only, so that every judgment can name its version."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.build import LONGEST_GUIDELINES
from annotation.judging import checked_text
from annotation.models import Event, Guideline, Judgment, State, Study
from retrieval.engine.errors import BadInput


def history(study: Study) -> QuerySet[Guideline]:
    """All versions, latest first, each with `n_judgments`, the current judgments made under it."""
    made = Judgment.objects.current().filter(guideline=OuterRef("pk")).order_by().values("guideline")
    n = made.annotate(n=Count("pk")).values("n")
    rows = study.guidelines.order_by("-version")
    return rows.annotate(n_judgments=Coalesce(Subquery(n, output_field=IntegerField()), 0))


def revise(study: Study, text: str, *, seen: int, by: User | None) -> Guideline:
    """Append the next version. `seen` is the version the writer had before them, 0 for none.

    Raises `BadInput` for an empty or unchanged text, for a closed study, and when
    somebody else wrote a version meanwhile; `Invalid` for one that cannot be stored.
    """
    text = checked_text(text, "guidelines", LONGEST_GUIDELINES).replace("\r\n", "\n").strip()
    if not text:
        raise BadInput("The guidelines are empty: write what readers should be told.")
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state == State.CLOSED:
            raise BadInput(f"The study “{study.slug}” is closed: its guidelines stay as they were followed.")
        last = study.latest_guideline()
        version = last.version if last else 0
        if version != seen:
            raise BadInput(f"Version {version} was saved meanwhile: read it below, then save yours again.")
        if last and last.text.replace("\r\n", "\n").strip() == text:
            raise BadInput(f"Nothing is changed: this is the text of version {version}.")
        made = Guideline.objects.create(study=study, version=version + 1, text=text, created_by=by)
        Event.objects.create(study=study, actor=by, verb="guidelines", data={"version": made.version})
    return made
