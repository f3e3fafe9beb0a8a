"""Load items of a file into a draft study, a new one or one there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.auth.models import User

from annotation.items.payloads import FileItem, add_payloads
from annotation.models import Study
from annotation.studies.build import build_from_payloads
from common.errors import BadInput


class LoadedItems(NamedTuple):
    """What loading items came to.

    study: the study they are in.
    created: whether it was made now.
    new: how many items were added.
    known: how many of them it had.
    """

    study: Study
    created: bool
    new: int
    known: int


def load_items(
    slug: str,
    task: str,
    entries: Iterable[FileItem],
    *,
    source: str,
    title: str = "",
    overlap: int = 3,
    seed: int = 0,
    by: User | None = None,
    guidelines: str = "",
    contact: str = "",
) -> LoadedItems:
    """Put the items into the study of that name, a new draft of the task where there is none; all or nothing.

    Title, overlap, seed, guidelines and contact are those of a new study and ignored
    for one there is. Run again it adds nothing. Raises `BadInput` or `Invalid`.
    """
    study = Study.objects.filter(slug=slug, deleted=None).first()
    if study is None:
        built = build_from_payloads(
            slug=slug,
            title=title or slug,
            task=task,
            entries=entries,
            overlap=overlap,
            seed=seed,
            by=by,
            guidelines=guidelines,
            contact=contact,
            source=source,
        )
        return LoadedItems(built.study, True, built.items, 0)
    if study.task != task:
        raise BadInput(f"“{slug}” is a study of the task “{study.task}”, not “{task}”: use another name.")
    added = add_payloads(study, entries, by=by, source=source)
    return LoadedItems(study, False, added.new, added.known)
