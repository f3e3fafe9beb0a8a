"""Questions with targets: sets of a corpus, one set, one question with its changes, and topics of them."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from common.lists import PAGE, word
from common.roles import is_librarian, me, scholar_required, staff_required
from retrieval.corpora.models import Corpus, EndpointJob, Question, QuestionSet, Standing, What
from retrieval.questions.forms import BeginForm, EditForm, ExportForm, WriteForm
from retrieval.views.asked.jobs import estimated_or_launched

BADGES = {
    Standing.WAITING: "wait",
    Standing.WRITTEN: "ok",
    Standing.REFUSED: "bad",
    Standing.UNREADABLE: "bad",
    Standing.LEFT_OUT: "note",
}
ALL = QuestionSet.objects.select_related("corpus", "topics", "created_by")


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the sets of a corpus with the form that begins another, and begin it."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    form = BeginForm(request.POST or None, request.FILES or None, corpus=corpus, by=me(request))
    if request.method == "POST" and form.is_valid() and (made := form.save()):
        return redirect("retrieval:question_set", made.slug)
    rows = QuestionSet.objects.filter(corpus=corpus).annotate(
        n=Count("questions"), kept=Count("questions", filter=Q(questions__standing=Standing.WRITTEN))
    )
    refused = request.method == "POST"
    context = {"corpus": corpus, "sets": rows, "form": form}
    return render(request, "questions/sets.html", context, status=422 if refused else 200)


@scholar_required
@require_safe
def question_set(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a set with a page of its questions, of one standing where asked."""
    found = get_object_or_404(ALL, slug=slug)
    standing = word(request, "standing")
    rows = found.questions.prefetch_related("targets").order_by("number")
    if standing in Standing.values:
        rows = rows.filter(standing=standing)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    counts = dict(found.questions.order_by().values_list("standing").annotate(n=Count("pk")))
    asked = EndpointJob.objects.filter(what=What.QUESTIONS, name=found.slug, corpus=found.corpus)
    context = {
        "set": found,
        "page": page,
        "rows": [(each, BADGES[Standing(each.standing)]) for each in page],
        "standings": [(each.value, each.label, counts.get(each.value, 0)) for each in Standing],
        "standing": standing,
        "waiting": counts.get(Standing.WAITING, 0),
        "jobs": asked[:5],
        "may_change": is_librarian(request.user),
    }
    return render(request, "questions/set.html", context)


@staff_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_set_write(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form that has questions written, say what it would take, or launch the job."""
    found = get_object_or_404(ALL, slug=slug)
    form = WriteForm(request.POST or None, found=found, by=me(request))
    waiting = found.questions.filter(standing=Standing.WAITING).count()
    context = {"set": found, "startable": waiting, "waiting": waiting}
    return estimated_or_launched(request, form, "questions/write.html", context)


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_set_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form that makes topics of a set, and make them."""
    found = get_object_or_404(ALL, slug=slug)
    form = ExportForm(request.POST or None, found=found, by=me(request))
    if request.method == "POST" and form.is_valid() and (made := form.save()):
        messages.success(request, made.in_words())
        return redirect("corpora:topics", made.topics.slug)
    kept = found.questions.filter(standing=Standing.WRITTEN)
    context = {
        "set": found,
        "form": form,
        "kept": kept.count(),
        "judged": kept.exclude(specificity="").count(),
    }
    refused = request.method == "POST"
    return render(request, "questions/export.html", context, status=422 if refused else 200)


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a question with its paragraph, its targets and every change; and change it."""
    rows = Question.objects.select_related("set__corpus", "source", "topic__topics").prefetch_related(
        "targets"
    )
    found = get_object_or_404(rows, set__slug=slug, number=number)
    form = EditForm(request.POST or None, question=found, by=me(request))
    if request.method == "POST" and form.is_valid() and form.save(request.POST.get("act", "edit")):
        return redirect("retrieval:question", slug, number)
    last = found.set.questions.count()
    context = {
        "question": found,
        "kind": BADGES[Standing(found.standing)],
        "edits": found.edits.select_related("by").order_by("-pk"),
        "form": form,
        "earlier": number - 1 if number > 1 else None,
        "later": number + 1 if number < last else None,
    }
    refused = request.method == "POST"
    return render(request, "questions/question.html", context, status=422 if refused else 200)
