"""Passages for the journeys of the span task: Latin, Hebrew, Greek without an anchor, and two long ones."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

LONG = (
    "The keeper of the lamp, whose name was not asked, went down to the water in the morning; "
    "and he said nothing of it to the others, for they slept. "
)
PASSAGES: dict[str, dict[str, Any]] = {
    "la": {
        "text": "Felix osculum ac mirabile. Osculum plane pacis, sed dilectio illa supereminet omni "
        "scientiae, et pax illa. Dixi.",
        "anchor": "scientiae",
        "gold": "sed dilectio illa supereminet omni scientiae",
    },
    "he": {"text": "בְּרֵאשִׁית בָּרָא אֱלֹהִים, וְאֵת הָאָרֶץ׃ וְהָאָרֶץ הָיְתָה תֹהוּ", "anchor": "הָאָרֶץ"},
    "grc": {"text": "Μῆνιν ἄειδε, θεὰ, Πηληϊάδεω Ἀχιλῆος, οὐλομένην, ἣ μυρί’ Ἀχαιοῖς ἄλγε’ ἔθηκε."},
    "en": {"text": LONG * 12 + "And then the tide.", "anchor": "then"},
    # 1,246 words.
    "long": {
        "text": "\n\n".join([LONG * 6] * 6 + [LONG * 5])
        + "And then the tide went out, and nobody was there to see it go at all.",
        "language": "en",
    },
}


def span_reader(passages: list[str], verses: int = 1, task: str = "span") -> dict[str, Any]:
    """Somebody new in an open study of these passages, in this order; each alludes to so many verses.

    ``task``: whether they mark one span, or several (`spans`).
    """
    from django.utils import timezone

    from annotation.items.files import entries
    from annotation.models import Role
    from annotation.people import enrolments
    from annotation.studies.build import load_items
    from annotation.studies.lifecycle import open_study
    from annotation.tasktypes import registry
    from tests import builders

    slug = f"sermon-{uuid4().hex[:8]}"
    reference = {"citation": "Ephesians 3:19", "text": "supereminentem scientiae caritatem", "language": "la"}
    items = [{"language": name, **PASSAGES[name], "references": [reference] * verses} for name in passages]
    data = "\n".join(json.dumps(item) for item in items).encode()
    guidelines = "Mark the shortest run of words that makes the allusion."
    lines = entries(registry.get(task), data, "passages")
    study = load_items(slug, task, lines, source="passages", overlap=1, guidelines=guidelines).study
    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    enrolments.enrol(study, user, Role.ANNOTATOR)
    open_study(study, by=None, now=timezone.now())
    return {"study": slug, "title": study.title, "user": user.username}
