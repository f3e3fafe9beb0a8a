"""A study of a rubric for the journeys of readers: LitSearch's questions about four questions of our own."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

QUESTIONS = (
    "Who has measured how far the sound of a bell carries over water?",
    "What is known of harbours?",
    "Which studies count lamps in lists of a ship’s stores before 1850?",
    "Are there corpora of letters by keepers of lighthouses?",
)


def rubric_reader(template: str = "specificity") -> dict[str, Any]:
    """Somebody new in an open study of these questions, in this order."""
    from django.utils import timezone

    from annotation.items.payloads import FileItem
    from annotation.models import Role
    from annotation.people import enrolments
    from annotation.studies.build import load_items
    from annotation.studies.lifecycle import open_study
    from annotation.tasktypes import registry
    from tests import builders

    slug = f"asked-{uuid4().hex[:8]}"
    fields = registry.get("rubric").templates[template].fields
    lines = [FileItem(f"line {n}", {"text": text, **fields}) for n, text in enumerate(QUESTIONS, 1)]
    study = load_items(slug, "rubric", lines, source="questions", overlap=1).study
    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    enrolments.enrol(study, user, Role.ANNOTATOR)
    open_study(study, by=None, now=timezone.now())
    return {"study": slug, "title": study.title, "user": user.username}


def rubric_judged() -> dict[str, Any]:
    """A study of a rubric that three have judged, with its researcher and its adjudicator; and a draft."""
    from annotation.models import Role
    from annotation.people import enrolments
    from tests import builders
    from tests.evaluation.rubrics import answered

    slug, number = f"tides-{uuid4().hex[:8]}", uuid4().hex[:8]
    researcher = builders.researcher(f"Rhea-{number}")
    study = answered(["rrp", "wwr", "ddd", "rub"], slug=slug, by=researcher)
    builders.study(f"{slug}-draft", items=0, by=researcher, state="draft", task="rubric")
    adjudicator = builders.person(f"Jo-{number}")
    enrolments.enrol(study, adjudicator, Role.ADJUDICATOR)
    return {
        "study": slug,
        "researcher": researcher.username,
        "adjudicator": adjudicator.username,
    }


def rubric_decision(study: str) -> dict[str, str] | None:
    """What was decided last in a study."""
    from annotation.models import Decision

    return Decision.objects.filter(item__study__slug=study).latest("pk").answer
