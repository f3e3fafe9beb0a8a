"""What an adjudicator sees: finished simulated studies, some items settled, and an open study."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

JO, REASON = "jo-of-the-bench", "The sentence before the gap names the lamp, and only this passage has one."


def adjudicating() -> dict[str, Any]:
    """Jo settles in three studies. Returns the numbers of items that wait and that are decided."""
    from django.utils import timezone

    from annotation.adjudication import decisions as bench
    from annotation.adjudication import worklist
    from annotation.models import Item, Role, Study
    from annotation.people import enrolments as people
    from tests import builders

    jo = builders.person(JO, is_active=True)
    found = {}
    for name, slug in (("choice", "tide-simulated"), ("span", "sermon-simulated"), ("open", "harbour")):
        study = Study.objects.get(slug=slug)
        adjudicator = people.enrol(study, jo, Role.ADJUDICATOR)
        waiting = [each.number for each in worklist.items_to_adjudicate(study) if each.needs_decision]
        for place, answer in ((0, "a reading"), (1, None)) if name != "open" else ():
            item = Item.objects.select_related("study").get(study=study, number=waiting[place])
            judgments = bench.judgments_on(item)
            given = next(each.answer for each in judgments if each.answer) if answer else None
            ruling = bench.SubmittedDecision(uuid4(), given, REASON, 0, bench.state_of(judgments))
            bench.decide(item, adjudicator, ruling, now=timezone.now())
            found[f"{name}_settled" if answer else f"{name}_left"] = waiting[place]
        found |= {
            f"{name}_waits": waiting[-1],
            f"{name}_keys": waiting[-2:][0],
            f"{name}_plain": waiting[-3:][0],
        }
    return found


def bench() -> None:
    """For pictures: Jo adjudicates, the sermon’s readers have agreed, and a study has flawed items."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation.models import Enrolment, Role, Study
    from annotation.people import enrolments as people
    from tests import builders

    jo = builders.person(JO, is_active=True)
    for study in Study.objects.filter(slug__in=["tide-simulated", "sermon-simulated"]):
        people.enrol(study, jo, Role.ADJUDICATOR)
    agreed = {"consent_version": 1, "consented": timezone.now()}
    Enrolment.objects.filter(study__slug="sermon", role=Role.ANNOTATOR).update(**agreed)
    flawed(User.objects.get(username="dora"))


def flawed(dora: Any) -> dict[str, Any]:
    """A study whose readers found fault with items: one flagged, one in quarantine, one replaced."""
    from django.utils import timezone

    from annotation.items import workbench
    from annotation.items.quarantine import react
    from annotation.models import Item, Outcome
    from annotation.studies.build import build_study
    from annotation.studies.lifecycle import open_study
    from retrieval.models import CandidateJob, Status
    from tests import builders

    job = CandidateJob.objects.filter(status=Status.DONE).earliest("pk")
    about = {"slug": "tide-flawed", "title": "The Stand of the Tide, again", "task": "choice", "overlap": 2}
    study = build_study(**about, job=job, seed=5, by=dora).study
    readers = [builders.enrolment(study, builders.person(f"{name}-who-flags")) for name in ("una", "vic")]
    study = open_study(study, by=dora, now=timezone.now())
    said = {
        1: ("None of them fits",),
        2: ("More than one fits", "None of them fits"),
        3: ("More than one fits",) * 2,
    }
    for number, reasons in said.items():
        item = Item.objects.select_related("study", "excerpt").get(study=study, number=number)
        for reader, reason in zip(readers, reasons, strict=False):
            builders.judgment(study, number, reader, None, outcome=Outcome.UNDECIDED, reason=reason)
            react(item, study, now=timezone.now())
    made = workbench.rebuild(item, by=dora, now=timezone.now())
    return {"flawed": 1, "flawed_out": 2, "flawed_old": 3, "flawed_new": made.number}
