"""A run or judgments loaded from a file."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from common.roles import me, scholar_required
from common.wording import counted
from retrieval.corpora.forms.loading import LoadForm
from retrieval.corpora.models import Corpus, Run, TopicSet


@scholar_required
@require_http_methods(["GET", "HEAD", "POST"])
def load_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Load a run, or judgments, of a file."""
    corpus = get_object_or_404(Corpus.objects.ready(), slug=slug)
    form = LoadForm(request.POST or None, request.FILES or None, corpus=corpus, by=me(request))
    if request.method == "POST" and form.is_valid() and (loaded := form.save()):
        row, new = loaded
        n = row.n_rows if isinstance(row, Run) else row.grades.count()
        lines = counted(n, "row" if isinstance(row, Run) else "judgment")
        messages.success(request, f"{'Loaded' if new else 'Known already'}: {row.name}, {lines}.")
        for note in row.notes if isinstance(row, Run) else ():
            messages.info(request, note)
        if isinstance(row, Run):
            return redirect("corpora:run", slug, row.name)
        return redirect("evaluation:runs", slug, row.topics.slug)
    context = {"corpus": corpus, "form": form, "any": TopicSet.objects.exists()}
    refused = request.method == "POST"
    return render(request, "corpora/load_file.html", context, status=422 if refused else 200)
