"""The adjudicator's pages: items to decide, and one item with its answers; and the decisions as readers
see them.
"""

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

from annotation.access import get_adjudicated_study, get_adjudicator, get_enrolment
from annotation.adjudication import decisions, worklist
from annotation.adjudication.forms import ADOPT, NONE, OWN, PLAIN, AdjudicationForm
from annotation.assignment.claiming import shown_order
from annotation.models import Decision, Enrolment, Item, Judgment, State
from annotation.reading import item_page
from annotation.studies import overview
from annotation.tasktypes.base import Answer, Invalid, TaskType

ROWS = 50


@require_safe
@login_required
def adjudicate(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which items can be decided, greatest disagreement first; researchers may look."""
    study, adjudicates = get_adjudicated_study(request.user, slug)
    found = worklist.items_to_adjudicate(study)
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    about = overview.abouts(study, [each.number for each in page])
    context = {
        "study": study,
        "adjudicates": adjudicates,
        "page": page,
        "rows": [(each, about.get(each.number, "")) for each in page],
        "tally": worklist.progress_of(found),
        "first": next((each for each in found if each.needs_decision), None),
    }
    return render(request, "annotation/adjudication/list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_item(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one item with its answers, without names, and store a decision on it."""
    adjudicator = get_adjudicator(request.user, slug)
    item = get_object_or_404(worklist.adjudicable_items(adjudicator.study), number=number)
    item.study = adjudicator.study
    order = shown_order(adjudicator.study, item, adjudicator.pseudonym)
    judgments = decisions.judgments_on(item)
    if request.method != "POST":
        return page(request, adjudicator, item, judgments)
    form = AdjudicationForm(request.POST)
    try:
        ruling = form.read(item, decisions.same_answers(item, judgments), order)
        decision = decisions.decide(item, adjudicator, ruling, now=timezone.now())
    except Invalid as error:
        return page(request, adjudicator, item, judgments, form=form, error=error, status=422)
    except decisions.DecisionConflict as error:
        again = form.again(decisions.current_decision(item), decisions.state_of(judgments))
        return page(request, adjudicator, item, judgments, form=again, error=Invalid(str(error)), status=409)
    messages.success(request, f"Item {number} is decided, revision {decision.revision}.")
    waiting = next(
        (each for each in worklist.items_to_adjudicate(adjudicator.study) if each.needs_decision), None
    )
    if waiting is None:
        return redirect("annotation:adjudicate", slug)
    return redirect("annotation:adjudicate_item", slug, waiting.number)


def page(
    request: HttpRequest,
    adjudicator: Enrolment,
    item: Item,
    judgments: list[Judgment],
    *,
    form: AdjudicationForm | None = None,
    error: Invalid | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the item with a form for its present state, or with the form that was sent."""
    study, decision = adjudicator.study, decisions.current_decision(item)
    task, said = study.task_type, decisions.same_answers(item, judgments)
    form = form or AdjudicationForm.blank(decision, decisions.state_of(judgments))
    order = shown_order(study, item, adjudicator.pseudonym)
    given = chosen_answer(form, item, decision, order)
    context = {
        "study": study,
        "item": item,
        "task": task,
        "task_template": f"annotation/tasks/{study.task}.html",
        "shown": task.present(item.payload, order),
        "said": [(each, f"{ADOPT}{each.key}", control_fields(task, each.answer, order)) for each in said],
        "n_readings": len(judgments),
        "plain": plain_answers_left(item, said),
        "decision": decision,
        "form": form,
        "chosen": given and task.as_shown(given, order),
        "picked": form.data["choice"] if "choice" in form.data else picked_at_first(decision, said),
        "error": error,
        "assignment": item,
        "adjudicating": True,
    }
    return render(request, "annotation/adjudication/item.html", context, status=status)


def control_fields(task: TaskType, answer: Answer | None, order: Sequence[int]) -> str:
    """Return the form fields that show this answer in the task's control, for the script."""
    return "" if answer is None else urlencode(task.fields(answer, order))


def plain_answers_left(item: Item, said: list[decisions.SameAnswer]) -> list[tuple[str, str]]:
    """Return the answers that one button gives, but for those that a reader gave."""
    task, given = item.study.task_type, [each.answer for each in said]
    return [
        (f"{PLAIN}{place}", each.label)
        for place, each in enumerate(task.plain_answers)
        if task.parse(item.payload, {each.field: each.value}) not in given
    ]


def picked_at_first(decision: Decision | None, said: list[decisions.SameAnswer]) -> str:
    """Return the choice in a fresh form: what was decided before, or nothing."""
    if decision is None:
        return ""
    if decision.answer is None:
        return NONE
    same = (f"{ADOPT}{each.key}" for each in said if each.answer == decision.answer)
    return next(same, OWN)


def chosen_answer(
    form: AdjudicationForm, item: Item, decision: Decision | None, order: Sequence[int]
) -> Answer:
    """Return the answer the control shows: what was sent, else what was decided before."""
    if not form.is_bound:
        return decision.answer or {} if decision else {}
    return item.study.task_type.begun(item.payload, dict(form.data.items()), order) or {}


@require_safe
@login_required
def decisions_shown(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a reader of a closed study what was decided on the items they judged, and why."""
    enrolment = get_enrolment(request.user, slug)
    if enrolment.study.state != State.CLOSED:
        raise Http404
    found = decisions.decisions_for_reader(enrolment)
    mine = item_page.own_judgments(enrolment).filter(assignment__item__in=found)
    page = Paginator(mine.order_by("assignment__claimed", "assignment__pk"), ROWS)
    here = page.get_page(request.GET.get("page"))
    rows = []
    for each in item_page.with_numbers(enrolment, here, item_page.own_numbers(enrolment)):
        item = each.judgment.assignment.item
        item.study = enrolment.study
        decision = found[item.pk]
        same = decisions.verdict_of(item, each.judgment) == decision.answer
        rows.append((each.number, each.judgment, decision, same))
    context = {"study": enrolment.study, "page": here, "rows": rows}
    return render(request, "annotation/adjudication/decided.html", context)
