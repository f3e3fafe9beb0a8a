"""The reader's pages: begin, read and judge, look back.

GET changes nothing; every change is a POST that works without JavaScript and then
redirects. Under htmx the same POST answers with the next item instead.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from annotation.access import get_assignment, get_assignment_and_texts, get_enrolment
from annotation.assignment import along, arms, consents, groups, practice, prefetch
from annotation.assignment.claiming import next_assignment, order_at
from annotation.assignment.holding import mark_opened
from annotation.assignment.progress import reader_progress
from annotation.judging import conflicts, drafts, messages
from annotation.judging.judgments import Late, Stale, SubmitResult, submit_and_continue
from annotation.mail.confirming import standing_of
from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment, Kind, Role, State
from annotation.reading import after_last, item_page, neighbours, pending_answer
from annotation.reading.forms import JudgmentForm
from annotation.studies import guidelines
from annotation.tasktypes.base import Invalid

PAGE = "annotation/work.html"
PREFETCHED = "X-Prefetched"
"""In a request: what waits in the page. In the reply to it: the assignment that it is to be shown at."""
TAKE_FOCUS = ("error", "both", "revealed")
"""What in a context takes the focus. On a narrow screen it stands below the text, so that a page that scrolls
to its top would put it out of sight."""
ROWS = 50


class HtmxRequest(HttpRequest):
    """The request as the middleware of django-htmx leaves it."""

    htmx: HtmxDetails


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page  # A page in a train weighs a third; what it reflects is the reader's own, and tokens are masked.
def work(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show one item, or take its judgment. After the login has ended it is kept until signing in."""
    if not request.user.is_authenticated:
        if request.method == "POST" and not request.htmx:
            pending_answer.store(request, pk)
        return redirect_to_login(request.path)
    if request.method == "POST":
        return judge(request, pk)
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    if assignment.status == AssignmentStatus.DONE and assignment.item.kind == Kind.PRACTICE:
        return redirect("annotation:feedback", pk)
    if (
        assignment.status == AssignmentStatus.HELD
        and after_last.where_next(assignment.annotator) == "annotation:consent"
    ):
        return redirect("annotation:consent", assignment.study.slug)
    context = item_page.item_context(assignment, assignment.annotator)
    if side := neighbours.again(assignment, request.GET.get("neighbour", "")):
        context["neighbours"] = neighbours.offered(assignment.item, assignment.study, shown=side)
    return render(request, PAGE, context | item_page.comes_first(assignment, assignment.annotator))


def judge(request: HtmxRequest, pk: int) -> HttpResponse:
    """Take an answer and go on to the next item; show the item again where that cannot be."""
    assignment, enrolment, texts = get_assignment_and_texts(request.user, pk)
    form, order = JudgmentForm(request.POST, assignment=assignment), order_at(assignment, enrolment)
    try:
        drafts.refuse_unseen(assignment, request.POST)
        going_on = assignment.item.kind != Kind.PRACTICE
        sent, now = form.read(order), timezone.now()
        done = submit_and_continue(assignment, enrolment, sent, now=now, going_on=going_on, texts=texts)
    except Invalid as error:
        chosen = item_page.chosen_on(form, assignment, order)
        context = item_page.item_context(assignment, enrolment, form=form, error=error, chosen=chosen)
        return show(request, context, status=422)
    except conflicts.WindowConflict:
        return show_conflict(request, assignment, enrolment, item_page.judged_at(assignment, enrolment))
    except Stale as error:
        return show_current(request, assignment, enrolment, error)
    except Late as error:
        context = {"study": enrolment.study, "message": str(error)}
        return show(request, context, page="annotation/late.html", status=409)
    if not going_on:
        return redirect("annotation:feedback", done.judgment.assignment_id)
    if arms.is_followed(done.judgment):
        return reveal(request, done.judgment.assignment, enrolment)
    return go_on(request, enrolment, _("Saved."), done)


def reveal(request: HtmxRequest, assignment: Assignment, enrolment: Enrolment) -> HttpResponse:
    """Show the item again, with the answer that was kept and what a machine answered."""
    if not request.htmx:
        return redirect(assignment)
    own = Assignment.objects.select_related("item", "study", "annotator").get(pk=assignment.pk)
    said = _("Your answer is kept. What a machine answered stands above it.")
    response = show(request, {**item_page.item_context(own, enrolment), "said": said, "revealed": True})
    response["HX-Push-Url"] = own.get_absolute_url()
    return response


def show_current(
    request: HtmxRequest, assignment: Assignment, enrolment: Enrolment, error: Stale
) -> HttpResponse:
    """Reply 409 with what is stored now, and all that the reader had chosen and typed."""
    rows = Assignment.objects.filter(item=assignment.item_id, annotator=enrolment)
    own = rows.select_related("item", "study", "annotator").first()
    if own is None:
        raise Http404
    if error.current is not None and own.item.kind != Kind.PRACTICE:
        return show_conflict(request, own, enrolment, error.current, judged=True)
    current = item_page.judged_at(own, enrolment)
    form = JudgmentForm.again(own, request.POST, revision=current.revision if current else 0)
    context = item_page.item_context(own, enrolment, form=form, error=Invalid(str(error)))
    return show(request, context, status=409)


def show_conflict(
    request: HtmxRequest,
    assignment: Assignment,
    enrolment: Enrolment,
    current: Judgment | None,
    *,
    judged: bool = False,
    error: Invalid | None = None,
) -> HttpResponse:
    """Reply 409 where two windows hold different things. The form holds this one's, with all notes."""
    both = item_page.both_windows(assignment, enrolment, request.POST, current if judged else None)
    said = {**request.POST.dict(), **conflicts.merged_notes(both.other.texts, both.here.texts)}
    if not judged:
        said[conflicts.KNOWN] = (
            f"{said.get(conflicts.KNOWN, '')} {assignment.draft.get(conflicts.VERSION, '')}".strip()
        )
    form = JudgmentForm.again(assignment, said, revision=current.revision if current else 0)
    context = item_page.item_context(
        assignment, enrolment, form=form, error=error, chosen=both.here.answer or {}
    )
    return show(request, {**context, "both": both, "sent": request.POST}, status=409)


def show(
    request: HtmxRequest, context: dict[str, Any], *, page: str = PAGE, status: int = 200
) -> HttpResponse:
    """Show the whole page, or under htmx what goes into its <main>."""
    response = render(request, f"{page}#task" if request.htmx else page, context, status=status)
    if request.htmx and any(context.get(name) for name in TAKE_FOCUS):
        response["HX-Reswap"] = "innerHTML show:none"
    return response


def go_on(
    request: HtmxRequest,
    enrolment: Enrolment,
    said: str,
    done: SubmitResult | None = None,
    *,
    put_off: Assignment | None = None,
) -> HttpResponse:
    """Lead to the next item for this reader, or to the page that says why there is none.

    What was just done, a judgment or an item that was put off, stands there with the way to take it back.
    """
    now = timezone.now()
    assignment = done.next if done else None
    if assignment is None:
        assignment = next_assignment(enrolment, now=now)
        if assignment is None or not mark_opened(assignment, now=now):
            return redirect(after_last.where_next(enrolment), enrolment.study.slug)
    told = guidelines.news_of(enrolment, done.guideline) if done else guidelines.guideline_news(enrolment)
    guidelines.mark_first_shown(enrolment, told.guideline)
    if not request.htmx:
        return redirect(assignment)
    context = item_page.item_context(assignment, enrolment, saved=done and done.judgment, told=told)
    context |= item_page.comes_first(assignment, enrolment)
    # What the reader chose before is not in what waits in the page, nor is an announcement.
    waits = (
        "part" not in context
        and request.headers.get(PREFETCHED) == prefetch.prefetch_name(assignment.item, enrolment)
        and not context["chosen"]
    )
    just = {"just": "put off" if put_off else "saved" if done else "", "put_off": put_off}
    response = show(request, {**context, **just, "said": said, "waits": waits})
    response["HX-Push-Url"] = assignment.get_absolute_url()
    if waits:
        response[PREFETCHED] = str(assignment.pk)
    return response


@login_required
@require_safe
def next_item(request: HttpRequest, pk: int) -> HttpResponse:
    """Reply with text and answer of the item that comes next, for the page to keep; 204 for none."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    item = prefetch.item_after(assignment, assignment.annotator, now=timezone.now())
    if item is None:
        return HttpResponse(status=204)
    context = prefetch.prefetch_context(item, assignment.annotator)
    context["neighbours"] = neighbours.offered(item, assignment.study)
    response = render(request, "annotation/prefetch.html", context)
    response[PREFETCHED] = prefetch.prefetch_name(item, assignment.annotator)
    return response


@login_required
@require_POST
def keep(request: HtmxRequest, pk: int) -> HttpResponse:
    """Store that the reader keeps their answer after they saw a machine's, and go on."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    if not assignment.study.is_open or not arms.keep(assignment, assignment.annotator, now=timezone.now()):
        return redirect(assignment)
    return go_on(request, assignment.annotator, _("Your answer stays."))


@login_required
@require_POST
def group_seen(request: HtmxRequest, pk: int) -> HttpResponse:
    """Store that the reader has seen which group begins, and show its first item."""
    assignment = get_assignment(request.user, pk)
    assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
    groups.confirm(assignment, assignment.annotator)
    # Without scripts, and where a new consent is asked for first: the item's own page decides.
    if not request.htmx or after_last.where_next(assignment.annotator) == "annotation:consent":
        return redirect(assignment)
    return show(request, item_page.item_context(assignment, assignment.annotator))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show what the study asks, with the button that gives the first or the next item."""
    enrolment = get_enrolment(request.user, slug)
    if request.method == "POST":
        guidelines.mark_seen(enrolment, request.POST.get("guideline", ""))
        return go_on(request, enrolment, "")
    study, (guideline, news) = enrolment.study, guidelines.guideline_news(enrolment)
    progress = reader_progress(enrolment)
    left = after_last.is_something_left(enrolment, progress, now := timezone.now())
    waits = not left and after_last.is_read_by_others(enrolment, progress, now)
    back = after_last.way_back(enrolment, progress, left=left or waits)
    context = {
        "study": study,
        "progress": progress,
        "left": left,
        "waits": waits,
        "reads": enrolment.role == Role.ANNOTATOR,
        "adjudicates": enrolment.role == Role.ADJUDICATOR,
        "guideline": guideline,
        "news": news,
        "because": "" if left else after_last.why_nothing_left(enrolment, progress, back),
        "asked": consents.consent_to_ask(enrolment),
        "replies": messages.unread_by(enrolment).count(),
        "practises": practice.is_before_work(enrolment),
        "way_back": back,
        "along": along.how_many(progress),
        "mail": standing_of(enrolment) if study.state == State.DRAFT else "",
    }
    return render(request, "annotation/begin.html", context)


@login_required
@require_safe
def done(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what this reader has done, each with the way back to it, and whether anything is left."""
    enrolment = get_enrolment(request.user, slug)
    page = Paginator(item_page.own_judgments(enrolment), ROWS).get_page(request.GET.get("page"))
    progress, numbers = reader_progress(enrolment), item_page.own_numbers(enrolment)
    left = after_last.is_something_left(enrolment, progress, now := timezone.now())
    waits = not left and after_last.is_read_by_others(enrolment, progress, now)
    back = after_last.way_back(enrolment, progress, left=left or waits)
    last = item_page.last_saved(enrolment, numbers)
    context = {
        "study": enrolment.study,
        "progress": progress,
        "left": left,
        "waits": waits,
        "finished": enrolment.study.is_open and progress.done >= progress.total > 0,
        "came": after_last.came_since(last.judgment) if left and last else None,
        "because": "" if left else after_last.why_nothing_left(enrolment, progress, back),
        "page": page,
        "way_back": back,
        "readings": item_page.with_numbers(enrolment, page, numbers),
        "last": last,
        "put_off": after_last.put_off_items(enrolment, numbers) if progress.put_off else [],
        "replies": messages.unread_by(enrolment).count(),
    }
    return render(request, "annotation/done.html", context)
