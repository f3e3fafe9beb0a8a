"""Readers before their work: one is asked for consent, one practises, one has new guidelines to read."""

from __future__ import annotations

from typing import Any
from uuid import uuid4


def before_work(dora: Any) -> dict[str, Any]:
    from django.utils import timezone

    from annotation.assignment import consents
    from annotation.assignment.claiming import next_assignment
    from annotation.judging.judgments import submit
    from annotation.judging.submissions import Submission
    from annotation.models import Consent, Kind, Study
    from annotation.studies import guidelines
    from tests import builders

    study = builders.study("ferry", items=5, overlap=3, by=dora)
    for number in (1, 2):
        item = study.items.get(number=number)
        item.kind, item.provenance = Kind.PRACTICE, {"explanation": "The essay speaks of the lamps."}
        item.save()
        item.assignments.all().delete()
    Study.objects.filter(pk=study.pk).update(pass_mark=1, contact="Dora, dora@example.org", rate="0.75")
    Study.objects.filter(pk=study.pk).update(currency="EUR", ask_confidence=True, ask_basis=True)
    study.refresh_from_db()
    Consent.objects.create(
        study=study, version=1, text="Your answers are kept.\n\nWe print none of your names."
    )
    asked, practises, reads = (
        builders.enrolment(study, builders.person(f"{name}-of-the-ferry", is_active=True), guideline_seen=1)
        for name in ("fay", "gil", "hal")
    )
    now = timezone.now()
    places = []
    for each, right in ((practises, False), (reads, True)):
        consents.agree(each, 1, now=now)
        place = next_assignment(each, now=now)
        option = (place.item.gold["option"] + (0 if right else 1)) % 3
        submit(place, each, Submission(uuid4(), "answer", {"option": option}), now=now)
        each.refresh_from_db()
        places.append(place.pk)
    work = next_assignment(reads, now=now)
    guidelines.revise(study, "Choose the passage that reads well.\n\nAsk if in doubt.", seen=1, by=dora)
    put_away(dora)
    return {"missed": places[0], "passed": places[1], "changed": work.pk, "asked_reader": asked.pk}


def put_away(dora: Any) -> None:
    """A draft without anything in it, and a study that can be brought back."""
    from django.utils import timezone

    from annotation.studies import trash
    from annotation.studies.build import make_draft
    from tests import builders

    make_draft(slug="bare", title="Nothing yet", task="span", overlap=2, seed=1, by=dora)
    away = builders.study("raft", items=1, overlap=1, by=dora)
    trash.move_to_trash(away, typed="raft", by=dora, now=timezone.now())
