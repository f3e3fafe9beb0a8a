"""What stands between a draft and its opening, in sentences; the same rules as `lifecycle.check_ready`."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from django.db.models import Count, F, IntegerField, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import EnrolmentState, Role, Study
from annotation.studies.leak_checks import findings
from annotation.studies.leaks import at_a_glance
from annotation.studies.lifecycle import NOBODY_COMES, free_seats, in_kinds, lacks
from common.wording import counted


class Readiness(NamedTuple):
    """Whether a draft can be opened.

    missing: sentences on what it lacks; empty where it can be opened.
    advice: sentences on what would be better before it is.
    printed: how many of its answers can be found without reading; None where that was not checked, or a
        text has changed since.
    """

    missing: list[str]
    advice: list[str]
    printed: int | None = 0


def readiness_of(study: Study) -> Readiness:
    """Return whether the study can be opened, in three queries."""
    reads = Q(enrolments__role=Role.ANNOTATOR, enrolments__state=EnrolmentState.ACTIVE)
    one = Study.objects.filter(pk=study.pk)
    seats = (
        free_seats(study, timezone.now())
        .order_by()
        .values("study")
        .annotate(n=Sum(F("seats") - F("used")))
        .values("n")
    )
    found = one.annotate(readers=Count("enrolments", filter=reads)).values_list(
        "readers",
        Subquery(study.guidelines.order_by("-version").values("text")[:1]),
        Subquery(study.consents.order_by("-version").values("text")[:1]),
        Coalesce(Subquery(seats, output_field=IntegerField()), 0),
    )
    readers, guideline, consent, free = found.get()
    told, asked = guideline is not None, consent is not None
    ready = readiness(study, readers=readers, kinds=in_kinds(study), told=told, asked=asked, seats=free)
    printed = at_a_glance(study, [text for text in (guideline, consent) if text is not None])
    if printed is None:
        printed = findings.cautions(study)
    said = printed_in_words(printed)
    return Readiness(ready.missing, [*ready.advice, said] if said else ready.advice, printed)


def printed_in_words(found: int | None) -> str:
    """What the check for answers printed elsewhere found, as a caution; empty where it found none."""
    if found is None:
        return (
            "Its items are many: have them checked for answers that are printed elsewhere (Printed answers)."
        )
    answers = counted(found, "answer")
    return f"{answers} can be found without reading: see Printed answers." if found else ""


def readiness(
    study: Study, *, readers: int, kinds: Counter[str], told: bool, asked: bool, seats: int
) -> Readiness:
    """Return whether a study with these numbers can be opened.

    readers: how many are enrolled now.
    kinds: items by kind.
    told: whether there are guidelines.
    asked: whether there is a consent.
    seats: how many people may still join by valid invitations.
    """
    missing = [f"It {lack}" for lack in lacks(study, kinds)]
    advice = []
    if not readers and not seats:
        missing.append(f"It {NOBODY_COMES}")
    elif readers < study.overlap:
        asks = "1 reading" if study.overlap == 1 else f"{study.overlap} readings"
        has = {0: "nobody is enrolled to read", 1: "1 reader is enrolled"}
        here, more = has.get(readers, f"{readers} readers are enrolled"), study.overlap - readers
        who = f"It asks for {asks} of each item and {here}: {more} more must join, now or while it is open."
        advice.append(who)
        if not seats:
            advice.append("No invitation link is valid: make one and send it to your readers.")
        elif seats < more:
            advice.append(f"The valid invitation links have {seats} of the {more} seats that are needed.")
    if not told:
        advice.append("There are no guidelines: readers will see the task and nothing else.")
    if not asked:
        advice.append("No consent is asked for: readers begin without agreeing to anything.")
    return Readiness(missing, advice)
