"""What staff decide about excerpts: reject, restore, other borders; about one, or about many of a list."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from common.errors import BadInput
from common.roles import me, staff_required
from common.wording import counted
from retrieval.curating import bulk, covering
from retrieval.curating import excerpts as curating
from retrieval.forms import BordersForm, CoverForm, ManyForm, ReasonForm
from retrieval.texts import typesetting
from retrieval.views.excerpts import AROUND, WITH_BOTH, chosen, excerpt_page, excerpts_page


@staff_required
@require_POST
def excerpt_reject(request: HttpRequest, pk: int) -> HttpResponse:
    """Reject an excerpt: no new job takes it."""
    return _decide(request, pk, curating.reject)


@staff_required
@require_POST
def excerpt_restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Restore a rejected excerpt: new jobs take it again."""
    return _decide(request, pk, curating.restore)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def excerpt_borders(request: HttpRequest, pk: int) -> HttpResponse:
    """Set other borders: another place in the book, or less of the critic's context."""
    found = get_object_or_404(WITH_BOTH, pk=pk)
    form = BordersForm(request.POST or None, excerpt=found)
    if request.method == "POST" and form.is_valid():
        made = form.save(by=me(request), now=timezone.now())
        if made:
            messages.success(
                request, f"Excerpt {made.pk} supersedes excerpt {found.pk}, which stays as it was."
            )
            return redirect(made)
    gold = found.gold
    context = {
        "excerpt": found,
        "form": form,
        "paragraphs": typesetting.surroundings(found.book, gold, AROUND) if gold else [],
    }
    return render(request, "retrieval/excerpt_borders.html", context, status=422 if form.errors else 200)


@staff_required
@require_POST
def excerpt_cover(request: HttpRequest, pk: int) -> HttpResponse:
    """Cover words of the context, or show first how that looks."""
    found = get_object_or_404(WITH_BOTH, pk=pk)
    form = CoverForm(request.POST, auto_id="cover_%s")
    if "preview" in request.POST:
        # To look, no reason is needed yet.
        form.fields["reason"].required = False
        seen = form.seen(found) if form.is_valid() else None
        return excerpt_page(request, found, ReasonForm(), form, seen)
    made = form.save(found, by=me(request), now=timezone.now()) if form.is_valid() else None
    if made is None:
        return excerpt_page(request, found, ReasonForm(), form)
    messages.success(request, f"Excerpt {made.pk} supersedes excerpt {found.pk}, which stays as it was.")
    return redirect(made)


@staff_required
@require_POST
def excerpt_uncover(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the words back that were covered last."""
    found = get_object_or_404(WITH_BOTH, pk=pk)
    form = ReasonForm(request.POST)
    made = None
    if form.is_valid():
        reason, by = form.cleaned_data["reason"], me(request)
        made = form.attempt(lambda: covering.uncover(found, reason=reason, by=by, now=timezone.now()))
    if made is None:
        return excerpt_page(request, found, form)
    messages.success(request, f"Excerpt {made.pk} supersedes excerpt {found.pk}, which stays as it was.")
    return redirect(made)


def _decide(request: HttpRequest, pk: int, act: Callable[..., None]) -> HttpResponse:
    found = get_object_or_404(WITH_BOTH, pk=pk)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return excerpt_page(request, found, form)
    reason, by = form.cleaned_data["reason"], me(request)

    def decide() -> bool:
        act(found, reason=reason, by=by, now=timezone.now())
        return True

    if not form.attempt(decide):
        return excerpt_page(request, found, form)
    messages.success(request, f"Excerpt {pk} is {found.get_standing_display().lower()}.")
    return redirect(found)


@staff_required
@require_POST
def excerpts_decide(request: HttpRequest) -> HttpResponse:
    """Reject, restore or delete many excerpts of the list that the address names."""
    rows, _ = chosen(request)
    form = ManyForm(request.POST, rows=rows)
    if not form.is_valid():
        return excerpts_page(request, form)
    deletes = form.cleaned_data["act"] == ManyForm.DELETE
    if deletes and "confirmed" not in request.POST:
        context = {"form": form, "query": request.GET.urlencode(), "n": form.chosen().count()}
        return render(request, "retrieval/excerpts_delete.html", context)
    decided = form.save(by=me(request), now=timezone.now())
    if decided is None:
        return excerpts_page(request, form)
    done = {ManyForm.REJECT: "rejected", ManyForm.RESTORE: "in use again"}.get(form.cleaned_data["act"])
    _say(request, decided, done or "deleted")
    return _to_the_list(request)


@staff_required
@require_POST
def excerpts_undo(request: HttpRequest) -> HttpResponse:
    """Take one's last decision about excerpts back."""
    by, now = me(request), timezone.now()
    found = bulk.last(by, now)
    try:
        if found is None:
            raise BadInput("There is nothing to take back: others were decided about since, or a day ago.")
        _say(request, bulk.undo(found, by=by, now=now), "as they were before")
    except BadInput as error:
        messages.warning(request, str(error))
    return _to_the_list(request)


def _say(request: HttpRequest, decided: bulk.Decided, what: str) -> None:
    verb = "is" if decided.done == 1 else "are"
    messages.success(request, f"{counted(decided.done, 'excerpt')} {verb} {what}.")
    for each in decided.left:
        messages.warning(request, each)


def _to_the_list(request: HttpRequest) -> HttpResponse:
    query = request.GET.urlencode()
    return redirect(reverse("retrieval:excerpts") + (f"?{query}" if query else ""))
