"""The items of a large file into a study that is open: checked beforehand, then stored and given out at once.

Readers are in the study: they get all of the items or none, and wait for the rows alone. What would print an
answer is sought before, among all texts of the study, which takes longer than anybody may wait.
"""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction

from annotation.items.prepared import Prepared
from annotation.models import Event, Study
from annotation.studies import leaks
from annotation.studies.leaks import Tell, silently
from annotation.studies.running import adding
from annotation.studies.running.adding import Addition
from common.errors import BadInput
from common.wording import counted

AT_ONCE = 2000
MOST_SEARCHED = 50_000
"""Items of a study and a file whose texts are compared with each other: all of them are in memory then."""


class Changed(BadInput):
    """Raised where the study has other items than when those of the file were checked."""


def nothing() -> None:
    """Do nothing."""


def into_open(
    study: Study,
    ready: Prepared,
    *,
    by: User | None,
    source: str,
    printed: bool = False,
    tell: Tell = silently,
    first: Callable[[], object] = nothing,
    after: Callable[[], object] = nothing,
) -> Addition | None:
    """Add items that were checked to an open study, with their assignments; all or nothing.

    None where none is new. ``printed``: although answers can then be found without reading, which is not
    looked for; else ``tell`` is told how many texts were searched, of how many. ``first`` and ``after`` are
    called in the transaction, before and after all else.

    Raises:
        Changed: somebody else has added items, or another version of one, since these were checked.
        BadInput: the study is not open any more, the items cannot be in it, or print an answer.
    """
    adding.refuse_closed(study)
    adding.refuse_late(study, ready.kinds)
    if ready.new and not printed:
        refuse_printed(study, ready, tell)
    with transaction.atomic():
        first()
        # Who is in the study goes on: their events name it, and do not change it.
        now = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        adding.refuse_closed(now)
        added = stored(now, ready, by, source) if ready.new else None
        after()
    return added


def stored(study: Study, ready: Prepared, by: User | None, source: str) -> Addition:
    """Store the items and their assignments, and record both."""
    if adding.last_number(study) != ready.last:
        raise Changed(f"“{study.slug}” was changed by somebody else meanwhile: run this again.")
    for begin in range(0, ready.new, AT_ONCE):
        ready.store(study, begin, AT_ONCE)
    data = {"file": source, "items": ready.new}
    Event.objects.create(study=study, actor=by, verb="build", data=data)
    adding.refuse_unfit(study, ready.last)
    return adding.recorded(study, ready.last, by)


def refuse_printed(study: Study, ready: Prepared, tell: Tell) -> None:
    """Raise `BadInput` where answers could be found without reading because of the items of the file."""
    if not study.task_type.orders_options:
        return
    n = leaks.given(study).count() + ready.new
    if n > MOST_SEARCHED:
        raise BadInput(
            f"“{study.slug}” would have {counted(n, 'item')}, and answers that others print are sought among "
            f"{MOST_SEARCHED:,} at most: give fewer, or say that they are to be added all the same."
        )
    items = [*leaks.given(study), *ready.items(study)]
    found = leaks.found(study, items, leaks.own_texts(study), tell)
    adding.refuse_answers(sum(each.caution and each.items[-1] > ready.last for each in found))
