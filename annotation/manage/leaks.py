"""Answers that a draft prints elsewhere: what the check found, and what is done about it (covered, or found
harmless); words of one item covered by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation.items import covering, leaving_out
from annotation.judging.submissions import checked_text
from annotation.manage import leak_checks
from annotation.manage.content import item_page
from annotation.manage.frame import frame, me, reads_or_posts, require_POST, researcher_of_study
from annotation.models import Item, State, Study
from annotation.studies import dismissals, leaks, mending
from annotation.studies.leak_checks import jobs
from annotation.tasktypes.base import Invalid
from common.errors import BadInput
from common.wording import counted
from retrieval.engine.leaks.places import Place, place_of

BY_HAND = "by hand"
LONGEST_WORDS = 2000
EVENT = re.compile(r"[0-9]{1,18}")


@reads_or_posts
@researcher_of_study
def printed(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the check finds; cover words, leave items out, or do both for all at once.

    A large study is checked in a job; what that found is shown.
    """
    large = leaks.given(study).count() > leaks.MOST_AT_A_GLANCE
    shown, act = (leak_checks.page, leak_checks.done) if large else (page, done)
    if request.method != "POST":
        return shown(request, study)
    try:
        said = act(request, study)
    except (BadInput, Invalid) as error:
        return shown(request, study, error=str(error))
    messages.success(request, said)
    return redirect("annotation:leaks", study.slug)


def done(request: HttpRequest, study: Study) -> str:
    """Do what was asked, and say it. `BadInput` where it cannot be."""
    now, by = timezone.now(), me(request)
    if "mend" in request.POST:
        made = mending.mend(study, by=by, now=now)
        out = f", {counted(made.left_out, 'practice item')} left out" if made.left_out else ""
        return f"{counted(made.covered, 'finding')} covered{out}."
    if "return" in request.POST:
        dismissals.take_back(study, request.POST["return"], by=by)
        return "The finding counts again."
    name = request.POST.get("dismiss") or request.POST.get("cover", "")
    for leak in leaks.check(study).leaks:
        if leak.name == name and "dismiss" in request.POST:
            why = checked_text(request.POST.get("why", ""), "why", leak_checks.LONGEST_WHY)
            dismissals.dismiss(study, leak.key, leak.kind, leak.items, by=by, why=why)
            return "The finding is marked as harmless."
        if leak.name == name:
            mending.cover(leak, by=by, now=now)
            return "The words are covered."
    raise BadInput(leak_checks.GONE)


def page(request: HttpRequest, study: Study, error: str = "") -> HttpResponse:
    checked = leaks.check(study)
    rows = Paginator(checked.leaks, leak_checks.ROWS).get_page(request.GET.get("page"))
    context = frame(
        study,
        "setup",
        draft=study.state == State.DRAFT,
        page=rows,
        findings=rows,
        n_cautions=len(checked.cautions),
        n_dismissed=len(checked.dismissed),
        n_items=checked.n_items,
        runs=[each for each in checked.runs if each.length][: jobs.LONGEST],
        left_out=study.items.left_out().order_by("number"),
        error=error,
    )
    return render(request, "annotation/manage/leaks.html", context, status=422 if error else 200)


@require_POST
@researcher_of_study
def cover(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Cover words of one item by hand, or show first how that looks; uncover; leave the item out."""
    item = get_object_or_404(study.items.select_related("study"), number=number)
    act, typed, why = (request.POST.get(name, "") for name in ("act", "words", "why"))
    try:
        if act == "preview":
            seen = covering.shown(covering.built(item), [*covering.covers(item), chosen(item, typed)])
            return item_page(request, item, preview=seen, words=typed, why=why)
        if act not in ACTS:
            raise BadInput("Choose one of the acts on this page.")
        said = ACTS[act](
            item, request, checked_text(" ".join(why.split()), "why", leak_checks.LONGEST_WHY) or BY_HAND
        )
    except (BadInput, Invalid) as error:
        return item_page(request, item, error=str(error), words=typed, why=why)
    messages.success(request, said)
    return redirect("annotation:item", study.slug, number)


def chosen(item: Item, typed: str) -> Place:
    return place_of(checked_text(typed, "words", LONGEST_WORDS), covering.built(item))


def cover_typed(item: Item, request: HttpRequest, why: str) -> str:
    place = chosen(item, request.POST.get("words", ""))
    covering.cover(item, [place], by=me(request), why=why, now=timezone.now())
    return "The words are covered."


def uncover(item: Item, request: HttpRequest, why: str) -> str:
    event = request.POST.get("event", "")
    covering.uncover(item, int(event) if EVENT.fullmatch(event) else 0, by=me(request))
    return "The words can be read again."


def leave_out(item: Item, request: HttpRequest, why: str) -> str:
    leaving_out.leave_out(item, by=me(request), why=why, now=timezone.now())
    return f"Item {item.number} is left out: no reader gets it."


def take_back(item: Item, request: HttpRequest, why: str) -> str:
    leaving_out.take_back(item, by=me(request))
    return f"Item {item.number} is taken back in."


ACTS: dict[str, Callable[[Item, HttpRequest, str], str]] = {
    "cover": cover_typed,
    "uncover": uncover,
    "leave": leave_out,
    "back": take_back,
}
