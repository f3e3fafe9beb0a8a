"""Draft studies of pools: each document of a pool is an item under its topic, on the scale of the study."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from annotation.items.from_pool import entries
from annotation.items.payloads import add_payloads
from annotation.models import Judgment, Study
from annotation.studies.build import empty_draft
from common.errors import BadInput
from common.wording import counted, were
from retrieval.corpora.models import Pool

NAMED = 5
"""Documents that are named among those that were left out."""


class OfPool(NamedTuple):
    """A study with the documents of a pool.

    study: the study.
    created: whether it was made now.
    new: how many items were stored now.
    known: how many documents of the pool the study had before.
    left_out: topic and document of those that can be no item, where they were to be left out.
    """

    study: Study
    created: bool
    new: int
    known: int
    left_out: tuple[str, ...] = ()

    @property
    def without(self) -> str:
        """Which documents were left out, as a sentence with a blank before it; empty for none."""
        if not self.left_out:
            return ""
        n, named = len(self.left_out), "; ".join(self.left_out[:NAMED])
        more = f" and {n - NAMED:,} more" if n > NAMED else ""
        return f" Left out, since a reader cannot be given {'it' if n == 1 else 'them'}: {named}{more}."

    def in_words(self) -> str:
        """Return in a sentence or two what was done."""
        if not self.new:
            has = f"“{self.study.slug}” has all {self.known:,} documents of the pool already"
            return f"Nothing was new: {has}.{self.without}"
        known = f"{counted(self.known, 'document')} of the pool {were(self.known)} there before"
        before = f"; {known}" if self.known else ""
        made = (
            f"Built “{self.study.slug}”, a draft with" if self.created else f"Added to “{self.study.slug}”:"
        )
        return f"{made} {counted(self.new, 'item')}{before}.{self.without}"


def build_of_pool(
    slug: str,
    task: str,
    pool: Pool,
    shared: dict[str, Any],
    *,
    by: User | None,
    leave_out: bool = False,
    **settings: Any,
) -> OfPool:
    """Put the documents of a pool into the study of that name; all or nothing. Run again it adds nothing.

    Where there is no such study it is made: a draft of the task with `settings`, fields of `Study` and
    `guidelines`, which a study that is there ignores. `shared`: what all items have in common, as `add_pool`
    takes it. Raises `BadInput` or `Invalid`, one sentence.
    """
    with transaction.atomic():
        known = Study.objects.filter(slug=slug, deleted=None).first()
        study = known or empty_draft(by=by, slug=slug, task=task, **settings)
        if study.task != task:
            raise BadInput(f"“{slug}” is a study of the task “{study.task}”, not “{task}”: use another name.")
        added = add_pool(study, pool, shared, by=by, leave_out=leave_out)
        return added._replace(created=known is None)


def add_pool(
    study: Study,
    pool: Pool,
    shared: dict[str, Any],
    *,
    by: User | None,
    leave_out: bool = False,
    to_open: bool = False,
) -> OfPool:
    """Append the documents of a pool that a draft does not have yet; all or nothing.

    `shared`: what all items have in common, such as their scale; what is not in it is as on the items there,
    and as in the type's first template where there are none. `leave_out`: documents that can be no item are
    left out and named, instead of refused. `to_open` as `add_payloads` takes it.
    Raises `BadInput` where it differs from them, where the pool is of other documents or topics than they
    are, or for anything that cannot be an item.
    """
    task = study.task_type
    if not task.from_pools:
        raise BadInput(f"Items of the task “{study.task}” are not made of pools: load them from a file.")
    with transaction.atomic():
        usual = next((each.fields for each in task.templates.values()), {})
        alike = {**usual, **shared_by(study), **shared}
        check_alike(study, alike)
        check_same_place(study, pool)
        left_out: list[str] = []
        found = entries(pool, study, task, alike, left_out if leave_out else None)
        added = add_payloads(study, found, by=by, source=str(pool), to_open=to_open)
    known = pool.entries.count() - added.new - len(left_out)
    return OfPool(study, False, added.new, known, tuple(left_out))


def shared_by(study: Study) -> dict[str, Any]:
    """Return what all items of a study have in common; empty while it has none."""
    first = study.items.order_by("number").first()
    found = first.payload if first is not None else {}
    return {name: found[name] for name in study.task_type.shared if name in found}


def check_alike(study: Study, shared: dict[str, Any]) -> None:
    """Raise `BadInput` where items of the study have another scale, or whatever else items share."""
    there = shared_by(study)
    differs = [name for name in study.task_type.shared if there and there.get(name) != shared.get(name)]
    if not differs:
        return
    n = Judgment.objects.filter(item__study=study).count()
    if n:
        raise BadInput(
            f"The {differs[0]} of “{study.slug}” cannot change any more: the study has "
            f"{counted(n, 'judgment')}. Make another study for the other."
        )
    raise BadInput(
        f"The items of “{study.slug}” have another {differs[0]}: take them out first "
        "(Set up, Items, Begin again), or leave it as it is."
    )


def check_same_place(study: Study, pool: Pool) -> None:
    """Raise `BadInput` where items came of a pool of another corpus, or of other topics.

    Ids say which document was judged for which topic, and mean something within one corpus and one set alone.
    """
    keys = set(study.items.order_by().values_list("provenance__pool", flat=True).distinct())
    there = Pool.objects.filter(pk__in=keys - {None}).select_related("corpus", "topics")
    other = there.exclude(corpus=pool.corpus, topics=pool.topics).first()
    if other is not None:
        raise BadInput(
            f"The items of “{study.slug}” are of “{other.topics.slug}” in “{other.corpus.slug}”, this pool "
            f"is of “{pool.topics.slug}” in “{pool.corpus.slug}”, where the same id may mean another text: "
            "make another study for it."
        )
