"""Topics: a set, one topic with its versions and the form that adds another, and forms for new ones."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from common.lists import PAGE
from common.roles import me, scholar_required
from common.wording import counted
from retrieval.corpora.forms.topics import AddTopicForm, NewTopicsForm, RewordForm
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Topic, TopicSet

SHOWN = 10
"""Corpora that a page of topics leads to."""


@scholar_required
@require_safe
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a set of topics in their current wording."""
    found = get_object_or_404(TopicSet, slug=slug)
    page = Paginator(loading.current(found), PAGE).get_page(request.GET.get("page"))
    corpora = Corpus.objects.ready()[:SHOWN]
    evaluated = Corpus.objects.ready().filter(runs__in=found.runs.all()).distinct()
    context = {"topics": found, "page": page, "corpora": corpora, "evaluated": evaluated}
    return render(request, "corpora/topics.html", context)


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_topics(request: HttpRequest) -> HttpResponse:
    """Make a set of topics, empty or of a file."""
    form = NewTopicsForm(request.POST or None, request.FILES or None, by=me(request))
    if request.method == "POST" and form.is_valid() and (made := form.save()):
        number = made.members.count()
        messages.success(request, f"{made}: {counted(number, 'topic')}.")
        return redirect("corpora:topics", made.slug) if number else redirect("corpora:add_topic", made.slug)
    return render(request, "corpora/new_topics.html", {"form": form}, status=422 if form.errors else 200)


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def add_topic(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a topic to a set; the form stands there again for the next one."""
    found = get_object_or_404(TopicSet, slug=slug)
    form = AddTopicForm(request.POST or None, topics=found, by=me(request))
    if request.method == "POST" and form.is_valid() and (made := form.save()):
        messages.success(request, f"Added: {made.title[:100]} ({made.topic}).")
        return redirect("corpora:add_topic", slug)
    context = {"topics": found, "form": form, "n_topics": found.members.count()}
    return render(request, "corpora/add_topic.html", context, status=422 if form.errors else 200)


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a topic with all its versions; a change is a new one. `number` counts from 1."""
    found = get_object_or_404(Topic.objects.select_related("topics"), topics__slug=slug, number=number - 1)
    versions = found.versions.select_related("by").order_by("-version")
    form = RewordForm(request.POST or None, topic=found, by=me(request), newest=versions[0])
    if request.method == "POST" and form.is_valid() and form.save():
        return redirect("corpora:topic", slug, number)
    context = {"topic": found, "number": number, "versions": versions, "form": form}
    return render(request, "corpora/topic.html", context, status=422 if form.errors else 200)
