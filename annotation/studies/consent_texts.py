"""The text of a consent. Append-only, so that every judgment can name the version it was given under."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.judging.submissions import checked_text
from annotation.models import Consent, Enrolment, Event, State, Study
from common.errors import BadInput

LONGEST = 50_000


def history(study: Study) -> QuerySet[Consent]:
    """Return all versions, latest first, each with `n_agreed`, the number of people who gave it last."""
    rows = Enrolment.objects.filter(study=OuterRef("study"), consent_version=OuterRef("version"))
    n = rows.order_by().values("study").annotate(n=Count("pk")).values("n")
    found = study.consents.order_by("-version")
    return found.annotate(n_agreed=Coalesce(Subquery(n, output_field=IntegerField()), 0))


def revise(study: Study, text: str, *, keeps: bool, seen: int, by: User | None) -> Consent:
    """Append the next version; readers are asked again. `seen`: the version the writer had before them.

    Raises `BadInput` for an empty or unchanged text, a closed study, and when somebody else wrote a
    version meanwhile; `Invalid` for a text that cannot be stored.
    """
    text = checked_text(text, "text", LONGEST).replace("\r\n", "\n").strip()
    if not text:
        raise BadInput("The consent is empty: write what readers agree to.")
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state == State.CLOSED:
            raise BadInput(f"The study “{study.slug}” is closed: nobody is asked any more.")
        last = study.latest_consent()
        version = last.version if last else 0
        if version != seen:
            raise BadInput(f"Version {version} was saved meanwhile: read it below, then save yours again.")
        if last and (last.text, last.keeps) == (text, keeps):
            raise BadInput(f"Nothing is changed: this is version {version}.")
        made = Consent.objects.create(study=study, version=version + 1, text=text, keeps=keeps, created_by=by)
        what = {"version": made.version, "keeps": keeps}
        Event.objects.create(study=study, actor=by, verb="consent text", data=what)
    return made
