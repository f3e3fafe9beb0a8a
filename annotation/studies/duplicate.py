"""A study again, as a new draft: settings, items, guidelines and consent, never people or judgments."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import transaction

from annotation.items.from_candidates import AT_ONCE
from annotation.items.option_orders import draw
from annotation.models import Consent, Event, Item, Study
from annotation.studies.build import empty_draft
from annotation.studies.running import stopping

SETTINGS = (
    "task",
    "overlap",
    "seed",
    "option_order",
    "filling",
    "lease_minutes",
    "quota",
    "pass_mark",
    "check_every",
    "ask_confidence",
    "ask_basis",
    "neighbours",
    "earlier_answers",
    "source_after",
    "rate",
    "currency",
    "stop_measure",
    "stop_width",
    "stop_items",
    "stop_every",
    "stop_most",
    "stop_closes",
    "stop_spending",
    "stop_threshold",
    "contact",
    "job_id",
)


def duplicate(study: Study, *, slug: str, title: str, by: User) -> Study:
    """Make a draft of what `study` is made of; items that a newer version stands for are left behind.

    `by` becomes its researcher. Raises `BadInput` for a short name or title that cannot be.
    """
    guideline, consent = study.latest_guideline(), study.latest_consent()
    text = guideline.text if guideline is not None else ""
    settings = {name: getattr(study, name) for name in SETTINGS}
    if study.stop_run:
        # Answers of runs are not taken along, so there is nothing to compare with.
        settings |= dict(zip(stopping.FIELDS, stopping.NONE, strict=True))
    with transaction.atomic():
        copy = empty_draft(by=by, guidelines=text, slug=slug, title=title, **settings)
        Item.objects.bulk_create(copies(study, copy), batch_size=AT_ONCE)
        if consent is not None:
            Consent.objects.create(
                study=copy, version=1, text=consent.text, keeps=consent.keeps, created_by=by
            )
        what = {"of": study.slug, "items": copy.items.count()}
        Event.objects.create(study=copy, actor=by, verb="duplicate", data=what)
    return copy


def copies(study: Study, copy: Study) -> Iterator[Item]:
    """Yield the items for the copy, numbered from 1.

    Where options still stand as in their file, a canonical order is drawn. Where a study holds the same
    options in several orders, each item keeps the order it has.
    """
    items = study.items.filter(retired=None).order_by("number")
    taken = set(items.values_list("digest", flat=True))
    for number, item in enumerate(items.iterator(AT_ONCE), 1):
        made = draw(copied(item, copy, number), copy)
        if made.digest != item.digest and made.digest in taken:
            made = copied(item, copy, number)
        taken.add(made.digest)
        yield made


def copied(item: Item, copy: Study, number: int) -> Item:
    """Return the same content for other readers: a first version, neither quarantined nor retired."""
    kept = ("payload", "gold", "kind", "provenance", "excerpt_id", "digest")
    return Item(study=copy, number=number, **{name: getattr(item, name) for name in kept})
