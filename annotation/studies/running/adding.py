"""Items for a study that is open: given out like those it opened with, and told of wherever numbers stand.

All readers get the new items under the same rules as the old: k assignments each, an order of options of
their own, groups, check items in silence. Practice is over for those who have begun, so none is added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Min, Subquery

from annotation.items.assignments import new_assignments
from annotation.items.payloads import Added, Entry, add_payloads
from annotation.models import AssignmentStatus, Event, Kind, State, Study
from annotation.studies.leaks import MOST_AT_A_GLANCE, found, given
from annotation.studies.lifecycle import in_kinds, lacks
from common.errors import BadInput
from common.wording import counted

T = TypeVar("T")
VERB = "add items"


class Addition(NamedTuple):
    """Items that were added to a study while it was open.

    at: when.
    first, last: numbers of the first and the last of them.
    items: how many, by kind.
    given: judgments of work that had been given before.
    places: assignments made for them.
    """

    at: datetime
    first: int
    last: int
    items: dict[str, int]
    given: int
    places: int


def add_items(
    study: Study, items: Iterable[Entry], *, by: User | None, source: str = "", printed: bool = False
) -> Addition | None:
    """Add the items that an open study does not have yet, with their assignments; all or nothing.

    None where it has them all already. ``source``: where they come from, for the record. ``printed``: add
    them although answers can then be found without reading. Raises `BadInput` for a study that is not open,
    for items that cannot be in it, and for items that print an answer.
    """

    def add(locked: Study) -> Added:
        return add_payloads(locked, items, by=by, source=source, to_open=True)

    return grow(study, add, by=by, printed=printed)[1]


def grow(
    study: Study, add: Callable[[Study], T], *, by: User | None, printed: bool = False
) -> tuple[T, Addition | None]:
    """Call ``add`` with the locked study, which stores items, and make their assignments; all or nothing.

    Return what ``add`` returned, and what came of it: None where it stored no item. A draft is only added to.
    Raises `BadInput` as `add_items` does.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state == State.DRAFT:
            return add(study), None
        refuse_closed(study)
        before, last = cautions(study), last_number(study)
        done = add(study)
        if last_number(study) == last:
            return done, None
        refuse_unfit(study, last)
        if not printed:
            refuse_printed(study, before)
        return done, recorded(study, last, by)


def last_number(study: Study) -> int:
    """Return the number of the last item, 0 without one."""
    found: int | None = study.items.aggregate(last=Max("number"))["last"]
    return found or 0


def refuse_closed(study: Study) -> None:
    """Raise `BadInput` for a study that takes no items any more."""
    if study.state != State.OPEN or study.deleted is not None:
        state = "put away" if study.deleted is not None else study.state
        raise BadInput(f"“{study.slug}” is {state}: items are added to a draft, or to a study that is open.")
    if study.shows_machine:
        raise BadInput(
            f"The items of “{study.slug}” are a sample of what a machine judged, drawn with known chances: "
            "items that are added would have none. Make another study for them."
        )


def refuse_unfit(study: Study, last: int) -> None:
    """Raise `BadInput` where an item behind the `last` is of a kind that comes too late, or the study would
    lack something for which it could not have been opened.
    """
    refuse_late(study, kinds_behind(study, last))
    for lack in lacks(study, in_kinds(study)):
        raise BadInput(f"With these items the study “{study.slug}” {lack}")


def refuse_late(study: Study, kinds: Counter[str]) -> None:
    """Raise `BadInput` where new items, counted by kind, are of one that comes too late."""
    if kinds[Kind.PRACTICE]:
        number = counted(kinds[Kind.PRACTICE], "item")
        raise BadInput(
            f"{number} for practice cannot be added: practice comes before the work, and readers are at it. "
            "Give them as work, or make another study."
        )
    if kinds[Kind.CHECK] and study.check_every is None:
        raise BadInput(
            f"{counted(kinds[Kind.CHECK], 'check item')} cannot be added: “{study.slug}” mixes in none."
        )


def cautions(study: Study) -> int | None:
    """How many answers can be found without reading; None where the study is too large to say at once."""
    if not study.task_type.orders_options:
        return 0
    texts = [each.text for each in (study.latest_guideline(), study.latest_consent()) if each is not None]
    items = list(given(study)[: MOST_AT_A_GLANCE + 1])
    return None if len(items) > MOST_AT_A_GLANCE else sum(each.caution for each in found(study, items, texts))


def refuse_printed(study: Study, before: int | None) -> None:
    """Raise `BadInput` where more answers can be found without reading than ``before``."""
    after = cautions(study)
    if before is not None and after is not None:
        refuse_answers(after - before)


def refuse_answers(n: int) -> None:
    """Raise `BadInput` where so many more answers can be found without reading; none for 0."""
    if n > 0:
        raise BadInput(
            f"{counted(n, 'more answer')} could be found without reading, since other items or texts print "
            "what is right. Readers would be given them at once: take these items out of the file, or say "
            "that they are to be added all the same."
        )


def kinds_behind(study: Study, last: int) -> Counter[str]:
    """Return how many items behind that number there are, by kind in the order in which they come."""
    new = study.items.filter(number__gt=last).order_by("number")
    return Counter(new.values_list("kind", flat=True).iterator())


def recorded(study: Study, last: int, by: User | None) -> Addition:
    """Make the assignments of the items behind the `last`, and the event that tells of them."""
    new = study.items.filter(number__gt=last).order_by("number")
    places = new_assignments(study, new.work().values_list("pk", flat=True))
    given_before = study.assignments.filter(item__kind=Kind.WORK, status=AssignmentStatus.DONE).count()
    data = {
        **new.aggregate(first=Min("number"), last=Max("number")),
        "items": dict(kinds_behind(study, last)),
        "given": given_before,
        "places": places,
    }
    return addition(Event.objects.create(study=study, actor=by, verb=VERB, data=data))


def additions(study: Study) -> Iterator[Addition]:
    """Yield what was added while the study was open, in the order of time."""
    yield from map(addition, study.events.filter(verb=VERB).order_by("pk"))


def last_addition(study: Study) -> Subquery:
    """Return when items were last added, as an annotation."""
    return Subquery(study.events.filter(verb=VERB).order_by("-pk").values("created")[:1])


def addition(event: Event) -> Addition:
    """Read an event of `VERB`."""
    return Addition(event.created, **event.data)
