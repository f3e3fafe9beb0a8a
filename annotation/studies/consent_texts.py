"""The text of a consent. Append-only, so that every judgment can name the version it was given under."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet

from annotation.models import Consent, Enrolment, Study
from annotation.studies.text_versions import TextKind, append_version
from common.lists import count

LONGEST = 50_000
CONSENT = TextKind(
    field="text",
    longest=LONGEST,
    empty="The consent is empty: write what readers agree to.",
    closed="nobody is asked any more",
    verb="consent text",
)


def history(study: Study) -> QuerySet[Consent]:
    """Return all versions, latest first, each with `n_agreed`, the number of people who gave it last."""
    rows = Enrolment.objects.filter(study=OuterRef("study"), consent_version=OuterRef("version"))
    return study.consents.order_by("-version").annotate(n_agreed=count(rows, "study"))


def revise(study: Study, text: str, *, keeps: bool, seen: int, by: User | None) -> Consent:
    """Append the next version, as `append_version` does; readers are asked again.

    `keeps`: whether the judgments of somebody who withdraws stay.
    """
    return append_version(Consent, CONSENT, study, text, seen=seen, by=by, keeps=keeps)
