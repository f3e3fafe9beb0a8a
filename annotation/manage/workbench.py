"""The hard-negative workbench: items that readers find wanting, their candidates, other versions of them.

For the study's researchers, and for staff, who see no judgment and no reader: only how often which fault was
found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count, F, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.items import quarantine, workbench
from annotation.manage.content import presented, templates
from annotation.manage.frame import frame, me, reads_or_posts, require_safe, workbench_of_study
from annotation.models import Item, Study
from annotation.studies import overview
from common.errors import BadInput
from common.wording import counted
from retrieval.models import Book

ROWS = 50


@require_safe
@workbench_of_study
def workbench_page(request: HttpRequest, study: Study, directing: bool) -> HttpResponse:
    """Show items in quarantine, flagged ones, and those that were replaced."""
    flagged = Q(pk__in=quarantine.flags(study.task_type, item__study=study).order_by().values("item"))
    items = study.items.work().filter(flagged | ~Q(quarantined=None) | Q(replaced_by__isnull=False))
    items = items.select_related("replaced_by").defer("payload", "provenance", "gold")
    # What is to be looked at first: in quarantine, then flagged, then what was replaced.
    shut_first = F("quarantined").desc(nulls_last=True)
    items = items.order_by(F("retired").asc(nulls_first=True), shut_first, "number")
    page = Paginator(items, ROWS).get_page(request.GET.get("page"))
    found = quarantine.flags(study.task_type, item__in=[each.pk for each in page])
    n = dict(found.order_by().values_list("item").annotate(n=Count("pk")))
    rows = [(each, n.get(each.pk, 0)) for each in page]
    context = frame(
        study, "workbench", directing=directing, page=page, rows=rows, needed=quarantine.needed(study)
    )
    return render(request, "annotation/manage/workbench.html", context)


@reads_or_posts
@workbench_of_study
def workbench_item(request: HttpRequest, study: Study, directing: bool, number: int) -> HttpResponse:
    """Show one item with its candidates and what was found wrong with it; do what is asked with it."""
    items = study.items if directing else study.items.work()
    items = items.select_related("study", "excerpt", "replaces", "replaced_by")
    item = get_object_or_404(items, number=number)
    if request.method != "POST":
        return page(request, item, directing)
    act = ACTS.get(request.POST.get("act", ""))
    try:
        if act is None:
            raise BadInput("Choose one of the acts on this page.")
        made, said = act(item, request, me(request))
    except BadInput as error:
        return page(request, item, directing, error=str(error))
    messages.success(request, said)
    return redirect("annotation:workbench_item", study.slug, made.number)


Act = Callable[[Item, HttpRequest, User], tuple[Item, str]]


def shut(item: Item, request: HttpRequest, by: User) -> tuple[Item, str]:
    """Put the item into quarantine, and say so."""
    quarantine.quarantine(item, by=by, reason=request.POST.get("reason", ""), now=timezone.now())
    return item, f"Item {item.number} is in quarantine: no further reader gets it."


def lift(item: Item, request: HttpRequest, by: User) -> tuple[Item, str]:
    """Give the item to readers again, and say so."""
    quarantine.lift(item, by=by)
    return item, f"Item {item.number} is given to readers again. Flags from now on count anew."


def replace(item: Item, request: HttpRequest, by: User) -> tuple[Item, str]:
    """Replace one option by the next in rank, and say so."""
    option = request.POST.get("option", "")
    number = int(option) if option.isascii() and option.isdigit() and len(option) < 3 else -1
    return done_with(item, workbench.replace(item, number, by=by, now=timezone.now()))


def rebuild(item: Item, request: HttpRequest, by: User) -> tuple[Item, str]:
    """Replace all wrong options by the next in rank, and say so."""
    return done_with(item, workbench.rebuild(item, by=by, now=timezone.now()))


def done_with(item: Item, made: Item) -> tuple[Item, str]:
    """Return the new version, and what was made in words."""
    readings = counted(made.assignments.count(), "new reading")
    return made, f"Item {made.number} is version {made.version} of item {item.number}, and gets {readings}."


def undo(item: Item, request: HttpRequest, by: User) -> tuple[Item, str]:
    """Take a version back, and say so."""
    old = workbench.undo(item, by=by)
    return old, f"Version {item.version} is gone, and item {old.number} is back as it was."


ACTS: dict[str, Act] = {
    "quarantine": shut,
    "lift": lift,
    "replace": replace,
    "rebuild": rebuild,
    "undo": undo,
}


def page(request: HttpRequest, item: Item, directing: bool, error: str = "") -> HttpResponse:
    """Show the item, with what went wrong if anything did."""
    item.refresh_from_db(fields=["quarantined", "retired"])
    context = frame(
        item.study,
        "workbench",
        directing=directing,
        item=item,
        task=item.study.task_type,
        shown=presented(item),
        templates=templates(item.study),
        judgments=overview.judgments(item) if directing else [],
        faults=[] if directing else quarantine.faults(item),
        by_hand=quarantine.by_hand(item),
        error=error,
        **next_candidates(item),
    )
    status = 422 if error else 200
    return render(request, "annotation/manage/workbench_item.html", context, status=status)


def next_candidates(item: Item) -> dict[str, Any]:
    """Return the candidates next in rank with their words, or why no other version can be made."""
    try:
        job = workbench.changeable(item)
    except BadInput as error:
        return {"fixed": str(error)}
    found = workbench.coming(item, job)
    book: Book = job.book
    rows = [
        (each, each.scores.get(job.ranker), book.passage(each.first, each.size)) for each in found.candidates
    ]
    return {"job": job, "book": book, "coming": rows, "reason": found.reason}
