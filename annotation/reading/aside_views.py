"""What readers may open beside an item: its document's neighbours, and what they said before in its group."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_assignment
from annotation.assignment.groups import kinds_beside
from annotation.reading import item_page, neighbours
from annotation.reading.views import HtmxRequest


@login_required
@require_POST
def neighbour(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show what stands before or behind an item's document, and store that it was opened."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    side = request.POST.get("side", "")
    found = neighbours.opened(assignment, assignment.annotator, side)
    if found is None:
        raise Http404
    if not request.htmx:
        return redirect(f"{assignment.get_absolute_url()}?neighbour={side}")
    return render(request, "annotation/neighbour.html#text", {"one": found})


@login_required
@require_safe
def earlier(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the reader's own answers to the other items of this one's group, where the study lets them."""
    assignment = get_assignment(request.user, pk)
    me, item, study = assignment.annotator, assignment.item, assignment.study
    if me is None or not study.earlier_answers or not item.group:
        raise Http404
    own = item_page.own_judgments(me).exclude(assignment=assignment)
    own = own.filter(item__group=item.group, item__kind__in=kinds_beside(item))
    rows = [
        (each.judgment, study.task_type.within_group(each.judgment.assignment.item.payload), each.number)
        for each in item_page.with_numbers(me, own, item_page.own_numbers(me))
    ]
    part = "#answers" if request.headers.get("HX-Request") == "true" else ""
    context = {"study": study, "assignment": assignment, "rows": rows}
    return render(request, f"annotation/earlier.html{part}", context)
