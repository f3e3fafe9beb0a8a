"""The adjudicator's pages: what is to be settled, one item with its readings; and the readers' own page
of what was decided, once the study is closed."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import get_enrolment, get_settler, get_settling
from annotation.adjudication import decisions
from annotation.adjudication.forms import ADOPT, NONE, OWN, PLAIN, SettlingForm
from annotation.models import Decision, Enrolment, Item, Judgment, State
from annotation.queue.assignment import shown_order
from annotation.reading import item_page
from annotation.tasktypes.base import Answer, Invalid, TaskType

ROWS = 50


@require_safe
@login_required
def settle(request: HttpRequest, slug: str) -> HttpResponse:
    """What can be settled, disagreement first; researchers look on."""
    study, settles = get_settling(request.user, slug)
    found = decisions.matters(study)
    context = {
        "study": study,
        "settles": settles,
        "page": Paginator(found, ROWS).get_page(request.GET.get("page")),
        "tally": decisions.tally(found),
        "first": next((each for each in found if each.waits), None),
    }
    return render(request, "annotation/settling/list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settle_item(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One item: its text as the readers saw it, what they said without their names, and the decision."""
    settler = get_settler(request.user, slug)
    item = get_object_or_404(decisions.settleable(settler.study), number=number)
    item.study = settler.study
    order = shown_order(settler.study, item, settler.pseudonym)
    judgments = decisions.judgments_on(item)
    if request.method != "POST":
        return page(request, settler, item, judgments)
    form = SettlingForm(request.POST)
    try:
        ruling = form.read(item, decisions.readings(item, judgments), order)
        decision = decisions.decide(item, settler, ruling, now=timezone.now())
    except Invalid as error:
        return page(request, settler, item, judgments, form=form, error=error, status=422)
    except decisions.Overruled as error:
        again = form.again(decisions.current(item), decisions.state_of(judgments))
        return page(request, settler, item, judgments, form=again, error=Invalid(str(error)), status=409)
    messages.success(request, f"Item {number} is settled, revision {decision.revision}.")
    waiting = next((each for each in decisions.matters(settler.study) if each.waits), None)
    if waiting is None:
        return redirect("annotation:settle", slug)
    return redirect("annotation:settle_item", slug, waiting.number)


def page(
    request: HttpRequest,
    settler: Enrolment,
    item: Item,
    judgments: list[Judgment],
    *,
    form: SettlingForm | None = None,
    error: Invalid | None = None,
    status: int = 200,
) -> HttpResponse:
    """The item with a form for the state it is in now, or with the form that was sent."""
    study, decision = settler.study, decisions.current(item)
    task, said = study.task_type, decisions.readings(item, judgments)
    form = form or SettlingForm.blank(decision, decisions.state_of(judgments))
    order = shown_order(study, item, settler.pseudonym)
    given = chosen(form, item, decision, order)
    context = {
        "study": study,
        "item": item,
        "task": task,
        "task_template": f"annotation/tasks/{study.task}.html",
        "shown": task.present(item.payload, order),
        "said": [(each, f"{ADOPT}{each.key}", fill(task, each.answer, order)) for each in said],
        "n_readings": len(judgments),
        "plain": plain(item, said),
        "decision": decision,
        "form": form,
        "chosen": given and task.as_shown(given, order),
        "picked": form.data["choice"] if "choice" in form.data else picked(decision, said),
        "error": error,
        "assignment": item,
        "settling": True,
    }
    return render(request, "annotation/settling/item.html", context, status=status)


def fill(task: TaskType, answer: Answer | None, order: Sequence[int]) -> str:
    """The fields of the task's control that show this answer, for the script."""
    return "" if answer is None else urlencode(task.fields(answer, order))


def plain(item: Item, said: list[decisions.Reading]) -> list[tuple[str, str]]:
    """Answers that one button gives, but for those that a reader gave."""
    task, given = item.study.task_type, [each.answer for each in said]
    return [
        (f"{PLAIN}{place}", each.label)
        for place, each in enumerate(task.plain_answers)
        if task.parse(item.payload, {each.field: each.value}) not in given
    ]


def picked(decision: Decision | None, said: list[decisions.Reading]) -> str:
    """What a fresh form has picked: what was decided before, and nothing where nothing was."""
    if decision is None:
        return ""
    if decision.answer is None:
        return NONE
    same = (f"{ADOPT}{each.key}" for each in said if each.answer == decision.answer)
    return next(same, OWN)


def chosen(form: SettlingForm, item: Item, decision: Decision | None, order: Sequence[int]) -> Answer:
    """The answer the control shows: what was sent, else what was decided before."""
    if not form.is_bound:
        return decision.answer or {} if decision else {}
    try:
        return item.study.task_type.read(item.payload, dict(form.data.items()), order)
    except Invalid:
        return {}


@require_safe
@login_required
def decided(request: HttpRequest, slug: str) -> HttpResponse:
    """To a reader, once the study is closed: what was decided on the items they judged, and why."""
    enrolment = get_enrolment(request.user, slug)
    if enrolment.study.state != State.CLOSED:
        raise Http404
    found = decisions.decided_for(enrolment)
    mine = item_page.own_judgments(enrolment).filter(assignment__item__in=found)
    page = Paginator(mine.order_by("assignment__claimed", "assignment__pk"), ROWS)
    here = page.get_page(request.GET.get("page"))
    rows = [
        (each.number, each.judgment, found[each.judgment.assignment.item_id])
        for each in item_page.numbered(enrolment, here, item_page.numbers(enrolment))
    ]
    context = {"study": enrolment.study, "page": here, "rows": rows}
    return render(request, "annotation/settling/decided.html", context)
