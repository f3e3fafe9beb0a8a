"""What the check of a study found is mended: words are covered where they stand, items left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.items import covering, leaving_out
from annotation.models import Item, Study
from annotation.studies.leaks import CONTEXT, Leak, check
from common.errors import BadInput
from retrieval.engine.leaks.places import Place
from retrieval.engine.leaks.printed import printed

ROUNDS = 5
"""Words that stood apart may stand side by side when those between them are covered: it is looked again."""


class Mended(NamedTuple):
    """How many findings ended by covering words, and how many practice items were left out."""

    covered: int
    left_out: int


def cover(leak: Leak, *, by: User | None, now: datetime) -> None:
    """Cover the words where they stand. `BadInput` where that is no context, or the study has opened."""
    if leak.shown.item is None or leak.shown.place != CONTEXT:
        raise BadInput("Only words of a context can be covered: leave an item out, or change the text.")
    item = Item.objects.select_related("study").get(pk=leak.shown.item.pk)
    # As it was built: some of it may be covered where the words were found.
    texts, there = covering.built(item), covering.covers(item)
    places = stretches(leak, texts)
    if all(any(covering.within(each, old) for old in there) for each in places):
        # Words that stand in a row only since those between them are covered.
        places = [covering.as_built(item, each) for each in stretches(leak, covering.shown(texts, there))]
    covering.cover(item, places, by=by, why=f"{leak.label} (item {leak.sought.item.number})", now=now)


def stretches(leak: Leak, texts: Sequence[str]) -> list[Place]:
    """Where the words of a finding stand in its text of a context, which may have changed since."""
    found = printed([leak.sought.text], [texts[leak.shown.number]])
    return [Place(leak.shown.number, *span) for each in found for span in each.spans]


def mend(study: Study, *, by: User | None, now: datetime) -> Mended:
    """Cover what stands in contexts, and leave practice items out that tell an answer of the work.

    What stands in guidelines, a consent or an explanation is somebody's own words and stays. All or nothing;
    raises `BadInput` once the study has opened.
    """
    covered = left_out = 0
    with transaction.atomic():
        covering.draft(study)
        for _ in range(ROUNDS):
            before = covered + left_out
            for leak in check(study).cautions:
                if leak.shown.place == CONTEXT:
                    covered += tried(leak, by=by, now=now)
                elif leak.kind == "gold-told-in-practice":
                    left_out += without(leak, by=by, now=now)
            if covered + left_out == before:
                break
    return Mended(covered, left_out)


def tried(leak: Leak, *, by: User | None, now: datetime) -> bool:
    """Whether the words were covered now; not where another finding covered them with its own."""
    try:
        cover(leak, by=by, now=now)
    except BadInput:
        return False
    return True


def without(leak: Leak, *, by: User | None, now: datetime) -> bool:
    """Whether the practice item was left out now; not where it was for another finding."""
    assert leak.shown.item is not None  # noqa: S101 - an option is an item's
    practice = Item.objects.select_related("study").get(pk=leak.shown.item.pk)
    if practice.retired is not None:
        return False
    leaving_out.leave_out(practice, by=by, why=leak.label, now=now)
    return True
