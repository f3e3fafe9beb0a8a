"""The studies that stand on a job or an excerpt, for whoever wants to delete it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.db.models import Q

from annotation.models import Item, Study
from retrieval.curating.dependents import Deletable, Dependent
from retrieval.models import CandidateJob, Excerpt


def studies_on(row: Deletable) -> Iterator[Dependent]:
    """Yield each study with an item made of the row, those in the trash too: they can be brought back."""
    if isinstance(row, CandidateJob):
        # Items of other jobs' candidates name theirs: practice, and what was added later.
        made = Item.objects.filter(excerpt__jobs=row, provenance__job=row.pk)
        concerned = Q(job=row) | Q(pk__in=made.values("study"))
    elif isinstance(row, Excerpt):
        concerned = Q(pk__in=Item.objects.filter(excerpt=row).values("study"))
    else:
        return
    for study in Study.objects.filter(concerned).order_by("slug"):
        if study.deleted:
            yield Dependent(f"study “{study.slug}”, in the trash until it is purged")
        else:
            # Not linked: staff see no page of a study in which they have no part.
            yield Dependent(f"study “{study.slug}”, which only its researchers can delete")


def excerpts_with_items(keys: Collection[int]) -> Iterator[int]:
    """Yield those of some excerpts, by their keys, of which an item of any study is made."""
    yield from Item.objects.filter(excerpt__in=keys).values_list("excerpt", flat=True).distinct().order_by()
