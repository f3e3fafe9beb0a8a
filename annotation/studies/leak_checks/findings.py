"""What a check of a large draft found: read back from its rows, with what was changed since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotation.items.longest_runs import Run
from annotation.models import LeakCheck, LeakFinding, Study
from annotation.studies import leaks
from annotation.studies.dismissals import Dismissal, dismissals
from annotation.studies.leaks import CAUTIONS, KINDS, Leak, Shown, Sought
from common.texts.result_cache import digest_of
from retrieval.engine.leaks.printed import Printed
from retrieval.jobs import queue
from retrieval.models import Status


class Listed(NamedTuple):
    """A finding as far as a list needs it.

    pk: of its row.
    kind: a key of `leaks.KINDS`.
    dismissal: who found it harmless, or None.
    """

    pk: int
    kind: str
    dismissal: Dismissal | None

    @property
    def caution(self) -> bool:
        """Whether it gives an answer away, and nobody found it harmless."""
        return self.kind in CAUTIONS and self.dismissal is None


def digest(study: Study) -> str:
    """Return a digest of all texts that a check reads, as the database holds them.

    It is another when one of them is changed, an item left out or added, or this program checks otherwise.
    Of the items only stored digests are read, all from one index.
    """
    rows = leaks.given(study).values_list("pk", "kind", "texts_digest")
    return digest_of((queue.code_version(), study.task, *leaks.own_texts(study), *rows))


def latest(study: Study) -> LeakCheck | None:
    """Return the latest check, however it stands."""
    return study.leak_checks.select_related("study", "created_by").first()


def latest_done(study: Study) -> LeakCheck | None:
    """Return the latest check that came to its end."""
    return study.leak_checks.filter(status=Status.DONE).first()


def cautions(study: Study) -> int | None:
    """Return how many answers the latest check found; None without one, or where a text has changed since."""
    check = latest_done(study)
    if check is None or check.texts != digest(study):
        return None
    return sum(each.caution for each in listed(check))


def listed(check: LeakCheck) -> list[Listed]:
    """Return all that a check found: cautions first, by item, and last what was dismissed."""
    harmless, order = dismissals(check.study), list(KINDS)
    rows = check.findings.order_by("item__number", "-share", "pk").values_list("pk", "kind", "key")
    found = [Listed(pk, kind, harmless.get(key)) for pk, kind, key in rows]
    found.sort(key=lambda each: (each.dismissal is not None, order.index(each.kind)))
    return found


def with_texts(study: Study, those: Sequence[Listed]) -> list[Leak]:
    """Return these findings with their texts as they are now, in the order given."""
    rows = LeakFinding.objects.select_related("item", "where").in_bulk([each.pk for each in those])
    own = leaks.own_texts(study)
    there = [(rows[each.pk], each.dismissal) for each in those if each.pk in rows]
    return [as_leak(study, row, own)._replace(dismissal=by) for row, by in there]


def as_leak(study: Study, row: LeakFinding, own: Sequence[str]) -> Leak:
    """Return a finding with its texts as they are now; `own`: the study's guidelines and consent."""
    for item in (row.item, row.where):
        if item is not None:
            item.study = study
    options = {each.option: each for each in leaks.options(row.item)}
    sought = options.get(row.option) or Sought(row.item, row.option, False, "")
    shown = Shown(row.where, row.place, row.number, "")
    those = leaks.of_item(row.where) if row.where else leaks.of_study(own)
    shown = next((each for each in those if each[1:3] == shown[1:3]), shown)
    what = Printed(0, 0, tuple((low, high) for low, high in row.spans), row.run, row.share)
    found = Leak(row.kind, sought, shown, what)
    gone = any(item is not None and item.retired is not None for item in (row.item, row.where))
    return found._replace(changed=gone or found.key != row.key)


def named(check: LeakCheck, name: str) -> Leak | None:
    """Return the finding of that name, as `Leak.name` makes it, or None where it does not stand any more."""
    kind, *numbers = name.rsplit("-", 4)
    if len(numbers) != 4 or not all(each.isascii() and each.isdigit() and len(each) < 10 for each in numbers):
        return None
    item, option, where, number = map(int, numbers)
    rows = check.findings.filter(kind=kind, item__number=item, option=option, number=number)
    there = rows.filter(where__number=where) if where else rows.filter(where=None)
    row = there.select_related("item", "where").first()
    found = as_leak(check.study, row, leaks.own_texts(check.study)) if row else None
    return None if found is None or found.changed else found


def runs(check: LeakCheck) -> list[Run]:
    """Return the longest runs that an item's right option and its context share, the longest first."""
    longest = check.counts.get("runs", [])
    items = check.study.items.in_bulk([pk for pk, *_ in longest])
    return [Run(items[pk], length, words) for pk, length, words in longest if pk in items]
