"""One decision about many excerpts: recorded for each as if it were made alone, and taken back as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, Max, ProtectedError

from common.errors import BadInput
from retrieval.curating import deletion, dependents
from retrieval.curating.decisions import check_reason, turn
from retrieval.curating.exclusions import active_exclusions, covering
from retrieval.models import Act, Curation, Deletion, Excerpt, Excerpts, Exclusion, Source, Standing
from retrieval.models.curation import LONGEST_REASON
from retrieval.models.texts import HEAVY_TEXTS

if TYPE_CHECKING:
    from django.contrib.auth.models import User

UNDONE_FOR = timedelta(days=1)
"""How long the last decision is offered to be taken back."""
AT_ONCE = 500
"""Excerpts a query."""
_ENDS: dict[Act, tuple[Standing, Standing]] = {
    Act.REJECTED: (Standing.IN_USE, Standing.REJECTED),
    Act.RESTORED: (Standing.REJECTED, Standing.IN_USE),
}
_OPPOSITE = {Act.REJECTED: Act.RESTORED, Act.RESTORED: Act.REJECTED}


class Decided(NamedTuple):
    """What a decision about many came to.

    done: how many excerpts it changed or deleted.
    left: why others stayed as they were, a sentence each.
    """

    done: int
    left: tuple[str, ...]


class Undoable(NamedTuple):
    """The last decision of a person, which can be taken back.

    act: what was decided.
    at: when; the same moment for all of them.
    reason: why.
    keys: of the excerpts on which nothing was decided since.
    """

    act: Act
    at: datetime
    reason: str
    keys: tuple[int, ...]


def decide(rows: Excerpts, act: Act, *, reason: str, by: User | None, now: datetime) -> Decided:
    """Reject all excerpts in use among `rows`, or restore all rejected ones, in one transaction.

    Those of another standing stay, and so do those that an exclusion still holds.

    Raises:
        BadInput: the reason is missing, there is nothing to change, or somebody else decided meanwhile.
    """
    said = check_reason(reason)
    old = _ENDS[act][0]
    with transaction.atomic():
        found = list(rows.select_related("source").defer(*HEAVY_TEXTS))
        chosen = [each for each in found if each.standing == old]
        left = [_others(len(found) - len(chosen), old)]
        if act == Act.RESTORED:
            held = _held(chosen)
            chosen = [each for each in chosen if each.pk not in held]
            left.append(_excluded(len(held)))
        turn(chosen, old, act, reason=said, by=by, now=now)
        if not chosen:
            raise BadInput(" ".join(["Nothing was changed.", *filter(None, left)]))
    return Decided(len(chosen), tuple(filter(None, left)))


def delete(rows: Excerpts, *, reason: str, by: User | None, now: datetime) -> Decided:
    """Delete those excerpts among `rows` on which nothing stands, in one transaction.

    Asked and deleted in sets: one by one, a thousand took as many seconds as a page may take.

    Raises:
        BadInput: the reason is missing, or something was built upon one of them meanwhile; nothing is
            deleted.
    """
    said, done = check_reason(reason), 0
    try:
        with transaction.atomic():
            keys = _locked(rows)
            for some in _free(keys):
                _delete(some, said, by, now)
                done += len(some)
            left = Excerpt.objects.filter(pk__in=keys).order_by("pk")
            named = tuple(deletion.why_not(each) for each in left[: deletion.NAMED])
            more = len(keys) - done - len(named)
    except (ProtectedError, IntegrityError):
        raise BadInput(
            "Something was built upon one of these excerpts meanwhile; nothing was deleted. Try again."
        ) from None
    return Decided(done, (*named, f"{more:,} more were left for such reasons.") if more else named)


def last(by: User, now: datetime) -> Undoable | None:
    """Return what this person decided last about excerpts, of a day, as far as it still stands."""
    own = Curation.objects.filter(by=by, at__gt=now - UNDONE_FOR).order_by("-id").first()
    if own is None or own.act not in _ENDS or own.exclusion_id is not None:
        return None
    made = Curation.objects.filter(by=by, at=own.at, act=own.act, exclusion=None)
    latest = Curation.objects.filter(excerpt__in=made.values("excerpt")).values("excerpt")
    newest = latest.annotate(newest=Max("pk")).order_by().values("newest")
    standing = made.filter(pk__in=newest).order_by("excerpt")
    keys = tuple(standing.values_list("excerpt", flat=True))
    return Undoable(Act(own.act), own.at, own.reason, keys) if keys else None


def undo(found: Undoable, *, by: User, now: datetime) -> Decided:
    """Take the decision back: what it rejected is in use again, what it restored is rejected again.

    Raises:
        BadInput: nothing can be changed any more.
    """
    rows = Excerpt.objects.filter(pk__in=found.keys)
    reason = f"Taken back: {found.reason}"[:LONGEST_REASON]
    return decide(rows, _OPPOSITE[found.act], reason=reason, by=by, now=now)


def _locked(rows: Excerpts) -> list[int]:
    """Return the keys of what is still there, which nobody else can build upon until the transaction ends."""
    there = Excerpt.objects.select_for_update().order_by("pk").values_list("pk", flat=True)
    keys = sorted(rows.values_list("pk", flat=True))
    return [key for some in _sets(keys) for key in there.filter(pk__in=some)]


def _free(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield those on which nothing stands, in sets to be deleted one after the other.

    An excerpt with other borders is held by the one before it, which therefore goes first.
    """
    held: set[int] = set()
    later: dict[int, int] = {}
    for some in _sets(keys):
        held |= dependents.held(some)
        earlier = Excerpt.objects.filter(superseded_by__in=some).values_list("pk", "superseded_by")
        later |= {before: after for before, after in earlier if after is not None}
    free = set(keys) - held
    ready = sorted(free - set(later.values()))
    while ready:
        yield from _sets(ready)
        ready = sorted(free & {later[key] for key in ready if key in later})


def _sets(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    return (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))


def _delete(keys: Sequence[int], reason: str, by: User | None, now: datetime) -> None:
    found = Excerpt.objects.filter(pk__in=keys)
    about = Curation.objects.filter(excerpt__in=keys)
    counts = dict(about.values_list("excerpt").annotate(n=Count("pk")).order_by())
    Deletion.objects.bulk_create(
        deletion.recorded(each, deletion.decisions(counts.get(each.pk, 0)), reason, by, now)
        for each in found.select_related("source", "book").defer(*HEAVY_TEXTS).order_by("pk")
    )
    about.delete()
    found.delete()


def _held(rows: Iterable[Excerpt]) -> set[int]:
    """Return the keys of the excerpts that an exclusion holds, with their sources locked."""
    by_source: dict[int, list[Excerpt]] = {}
    for each in rows:
        by_source.setdefault(each.source_id, []).append(each)
    held: set[int] = set()
    for key in sorted(by_source):
        Source.objects.select_for_update().values_list("pk").get(pk=key)
        exclusions: list[Exclusion] = list(active_exclusions(by_source[key][0].source))
        held |= {each.pk for each in by_source[key] if covering(exclusions, each)}
    return held


def _others(n: int, old: Standing) -> str:
    return f"{n:,} left as they were: not {old.label.lower()}." if n else ""


def _excluded(n: int) -> str:
    return f"{n:,} left rejected: they lie in what is excluded from their source." if n else ""
