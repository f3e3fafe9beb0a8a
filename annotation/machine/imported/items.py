"""Which item of a study a file means: by digest, number, id, or topic and document."""

from __future__ import annotations

from typing import NamedTuple

from annotation.machine.imported.lines import Line, Name, wrong
from annotation.models import Item, Kind, Study
from annotation.models.work import ItemQuerySet
from annotation.tasktypes.base import is_storable
from annotation.validation.machine_answers import pair_of
from common.errors import BadInput

SHOWN = 5


class Items(NamedTuple):
    """The items of a study by each of their names.

    number: of each work item that counts, by primary key.
    named: primary key by name.
    twice: ids that two items have: they name none.
    """

    number: dict[int, int]
    named: dict[Name, int]
    twice: set[Name]


def counted(study: Study) -> ItemQuerySet:
    """Return the items that a system answers: work items, of each the version that was not replaced."""
    found: ItemQuerySet = study.items.all()
    return found.work().filter(retired=None).order_by("number")


def items_of(study: Study) -> Items:
    """Return the names of the study's items."""
    found = Items({}, {}, set())
    grouped = study.task_type.has_groups
    columns = ("pk", "number", "digest", "provenance__id", *(["payload"] if grouped else []))
    for pk, number, digest, own, *payload in counted(study).values_list(*columns).iterator(2000):
        found.number[pk] = number
        names: list[Name] = [number, digest, *([str(own)] if own else [])]
        if payload and all(pair := pair_of(payload[0])):
            names.append(pair)
        for name in names:
            if found.named.setdefault(name, pk) != pk:
                found.twice.add(name)
    return found


def find(study: Study, items: Items, line: Line) -> int:
    """Return the primary key of the item that a line means. Raises `BadInput` with what would be right."""
    if line.name in items.twice:
        raise wrong(line.where, "item", f"two items have the id {line.name!r:.80}: name it by its digest.")
    if line.name in items.named:
        return items.named[line.name]
    raise wrong(line.where, "item", why_not(study, line.name))


def why_not(study: Study, name: Name) -> str:
    """Return why a name is that of no item that counts."""
    if isinstance(name, tuple):
        return f"the study has no item of topic {name[0]!r:.60} and document {name[1]!r:.60}."
    by = {"number": name} if isinstance(name, int) else {"digest": name}
    if isinstance(name, int) and not 0 < name < 2**31:
        return f"{name!r:.30} is no item’s number."
    if isinstance(name, str) and not is_storable(name):
        return f"{name!r:.80} holds NUL or a lone surrogate, as no item’s id does."
    if other := study.items.filter(**by).first():
        kinds = {Kind.PRACTICE: "a practice item", Kind.CHECK: "a check item"}
        what = kinds.get(Kind(other.kind), "left out, or an earlier version of an item that was repaired")
        return f"item {other.number} is {what}; it enters no number, so leave it out."
    if isinstance(name, str) and Item.objects.filter(digest=name).exists():
        return f"{name:.20}… is the digest of an item of another study."
    return f"{name!r:.80} is no item of “{study.slug}”: give its digest, its id or its number."


def refuse_missing(items: Items, answered: set[int], file: str) -> None:
    """Raise `BadInput` where items have no line."""
    missing = sorted(number for pk, number in items.number.items() if pk not in answered)
    if missing:
        shown = ", ".join(map(str, missing[:SHOWN])) + (" …" if len(missing) > SHOWN else "")
        raise BadInput(
            f"{file}: {len(missing):,} of {len(items.number):,} items have no line (item {shown}). "
            "Answer each; where the system has no answer, say “answer”: null."
        )
