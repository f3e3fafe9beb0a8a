"""Items as files hold them → items of a study: each checked, none twice, none half-written.

Their options get an order drawn for the study (`option_orders`), whatever order they have in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.items.complaints import Complaints
from annotation.items.option_orders import digest, draw
from annotation.items.prepared import Prepared
from annotation.models import Event, Item, Judgment, Kind, State, Study
from annotation.tasktypes.base import Answer, Invalid
from common.errors import BadInput
from common.first_seen import FirstSeen, NoRoom
from common.progress import Progress
from common.wording import counted

AT_ONCE = 500
LARGE = 5000
"""Items of a file that are more than one transaction takes: who writes beside it would wait for too long."""


class FileItem(NamedTuple):
    """One item as a file has it.

    where: file and line, for messages.
    payload: all that a reader may see.
    gold: the right answer; None where it is not known.
    provenance: where the item came from, with its `id` where it has one.
    kind: work, practice or check.
    """

    where: str
    payload: dict[str, Any]
    gold: Answer | None = None
    provenance: Mapping[str, Any] = {}
    kind: str = Kind.WORK


Entry = FileItem | BadInput
"""An item of a file; in the place of a wrong line, what is wrong with it."""


class Added(NamedTuple):
    """What came of adding items to a study.

    new: how many were stored now.
    known: how many it had before.
    """

    new: int
    known: int


def add_payloads(
    study: Study,
    entries: Iterable[Entry],
    *,
    by: User | None,
    source: str = "",
    to_open: bool = False,
) -> Added:
    """Append the items that a draft does not have yet; all or nothing. Run again it adds nothing.

    Raises `BadInput` that names all wrong entries, as many as `complaints` holds.

    Items are known by their words, whatever the order of their options, and by `id` in
    their provenance where they have one: an id with other content is refused, as is an
    item twice in `entries`. An opened study takes no new item, but with `to_open` one that is open does:
    whoever says so makes the assignments (`studies.running.adding`).
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        stock, new = Stock(study), 0
        takes = study.state in takers(to_open=to_open)
        # By the batch: of a large file no more than one is in memory at a time.
        for items in batches(stock.new_items(entries)):
            new += len(items)
            if takes:
                Item.objects.bulk_create(items)
        if new and not takes:
            raise BadInput(
                f"{new} of these items are new, and “{study.slug}” is "
                f"{study.get_state_display().lower()}: only a draft takes new items."
            )
        if new:
            Event.objects.create(study=study, actor=by, verb="build", data={"file": source, "items": new})
    return Added(new, len(stock.places) - new)


def checked(study: Study, entries: Iterable[Entry], progress: Progress) -> Prepared:
    """Return the items that a study does not have, ready to be stored. Raises `BadInput` as `add_payloads`.

    `study` may be one that is not stored yet. `progress` is called with the new items so far, 0 and a stage.
    """
    stock = Stock(study)
    ready = Prepared(stock.last)
    for n, item in enumerate(stock.new_items(entries), 1):
        ready.note(item)
        if n % AT_ONCE == 0:
            progress(n, 0, "Checking")
    ready.known = len(stock.places) - ready.new
    return ready


def add_in_parts(
    study: Study,
    ready: Prepared,
    *,
    by: User | None,
    source: str,
    progress: Progress,
    told: bool = False,
) -> Added:
    """Append items that were checked to a draft, `AT_ONCE` in a transaction: nobody waits for all of them.

    Cut off, it leaves the draft with what is stored so far; checked and run again it adds the rest. `told`:
    the record has the event of it, from a call that was cut off. Raises `BadInput` where somebody else has
    changed the draft since it was checked.
    """
    for new in range(0, ready.new, AT_ONCE):
        with transaction.atomic():
            now = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            last = now.items.aggregate(last=Max("number"))["last"] or 0
            if now.state not in takers(to_open=False) or now.deleted or last != ready.last + new:
                raise BadInput(f"“{study.slug}” was changed by somebody else meanwhile: run this again.")
            if not new and not told:
                data = {"file": source, "items": ready.new}
                Event.objects.create(study=now, actor=by, verb="build", data=data)
            ready.store(now, new, AT_ONCE)
        progress(min(new + AT_ONCE, ready.new), ready.new, "Storing")
    return Added(ready.new, ready.known)


def takers(*, to_open: bool) -> tuple[str, ...]:
    """Return the states in which a study takes items."""
    return (State.DRAFT, State.OPEN) if to_open else (State.DRAFT,)


def batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Yield the items in their order, as many at once as one call stores."""
    while batch := list(islice(items, AT_ONCE)):
        yield batch


class Stock:
    """The items of a study by digest, content, id and number, and those of a file, noted as they come.

    What it takes in memory does not grow with them.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.last, self.as_filed = study, 0, False
        self.places, self.ids, self.once, self.known = FirstSeen(), FirstSeen(), FirstSeen(), FirstSeen()
        rows = study.items.values_list("digest", "provenance", "number").iterator(AT_ONCE) if study.pk else ()
        for of_item, made, number in rows:
            if made.get("id") is not None:
                self.ids.note(str(made["id"]), of_item)
            if made.get("identity"):
                self.once.note(made["identity"], of_item)
            for name in names(of_item, made):
                self.known.note(name, of_item)
            # Items that were stored before orders were drawn have that of their file, and are known by it.
            self.as_filed |= "content" not in made
            self.last = max(self.last, number)
        self.shared: dict[str, Any] = {}
        if study.pk and study.task_type.shared and (first := study.items.order_by("number").first()):
            self.shared = {name: first.payload.get(name) for name in study.task_type.shared}

    def new_items(self, entries: Iterable[Entry]) -> Iterator[Item]:
        """Yield the items the study does not have, unsaved and numbered.

        Behind a wrong one none is yielded: the others are checked, and at the end what is wrong is raised.
        """
        wrong = Complaints()
        for entry in entries:
            try:
                item = self.new_item(entry)
            except NoRoom:
                raise
            except BadInput as error:
                wrong.note(error)
            else:
                if item is not None and not wrong:
                    yield item
        wrong.end()

    def new_item(self, entry: Entry) -> Item | None:
        """Return the item of an entry; None where the study has it. Raises `BadInput` for a wrong one."""
        if isinstance(entry, BadInput):
            raise entry
        item = checked_item(self.study, entry)
        self.check_shared(entry)
        filed = (digest(item.payload),) if self.as_filed else ()
        draw(item, self.study)
        mine = (*names(item.digest, item.provenance), *filed)
        known = next(filter(None, map(self.known.get, mine)), None)
        self.check_once(entry, item, known or item.digest)
        if known is not None:
            return None
        self.last += 1
        item.number = self.last
        return item

    def check_shared(self, entry: FileItem) -> None:
        """Raise `BadInput` where a field that all items share differs from that of the first."""
        for name in self.study.task_type.shared:
            if self.shared.setdefault(name, entry.payload.get(name)) != entry.payload.get(name):
                n = Judgment.objects.filter(item__study=self.study).count() if self.study.pk else 0
                judged = f" This one has {counted(n, 'judgment')}." if n else ""
                raise BadInput(
                    f"{entry.where}, field “{name}”: is another than on the items before, and all items of a "
                    f"study have the same.{judged} Make a study for each."
                )

    def check_once(self, entry: FileItem, item: Item, of_item: str) -> None:
        """Record where an item stands. Raises `BadInput` where it, its id or what it is stands twice."""
        if first := self.places.note(of_item, entry.where):
            raise BadInput(f"{entry.where}: the same item as {first}.")
        name = entry.provenance.get("id")
        if name is not None and self.ids.note(str(name), of_item) not in (None, of_item):
            raise BadInput(f"{entry.where}, field “id”: “{name}” is the id of another item already.")
        what = item.provenance.get("identity")
        if what is not None and self.once.note(what, of_item) not in (None, of_item):
            raise BadInput(
                f"{entry.where}: {what} are an item of the study already, with other words or scale."
            )


def checked_item(study: Study, entry: FileItem) -> Item:
    """Return the item of an entry, unsaved and without a digest. Raises `BadInput`, with place and field."""
    task, gold = study.task_type, entry.gold
    try:
        task.check_payload(entry.payload)
    except Invalid as error:
        raise BadInput(f"{entry.where}, field “{error.field}”: {error}") from None
    try:
        gold = task.check_answer(entry.payload, gold) if gold is not None else None
    except Invalid as error:
        raise BadInput(f"{entry.where}, field “gold”: {error}") from None
    said = {name for name, value in (entry.gold or {}).items() if value is not None}
    if unknown := sorted(said - set(gold or ())):
        raise BadInput(
            f"{entry.where}, field “gold”: {unknown[0]!r:.60} is no field of an answer to this task."
        )
    if gold is None and entry.kind != Kind.WORK:
        raise BadInput(f"{entry.where}, field “gold”: a {entry.kind} item needs the right answer.")
    made, identity = dict(entry.provenance), task.identity(entry.payload)
    if identity:
        made["identity"] = identity
    return Item(study=study, payload=entry.payload, gold=gold, kind=entry.kind, provenance=made)


def names(of_item: str, provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the digests an item is known by: its own, and one that ignores the order of options."""
    return (of_item, provenance["content"]) if "content" in provenance else (of_item,)
