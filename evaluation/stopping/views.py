"""The page of a study's stopping rule: chosen while it is a draft, looked at afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import get_study
from annotation.models import State
from annotation.studies.running.stopping import rule_of, runs_of, set_rule
from common.roles import me
from evaluation.stopping.forms import RuleForm
from evaluation.stopping.looks import looked, offered
from evaluation.stopping.sentences import beyond_in_words, costs, rule_in_words, sentences
from evaluation.stopping.tables import looks
from evaluation.values.looks import Looked
from evaluation.values.wording import unbroken


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def stopping(request: HttpRequest, slug: str) -> HttpResponse:
    """The rule and its looks; a POST chooses it, and is refused once the study has opened."""
    study = get_study(request.user, slug)
    rule, measures, draft = rule_of(study), offered(study), study.state == State.DRAFT
    form = RuleForm(request.POST if request.method == "POST" else None, measures, runs_of(study), rule)
    if request.method == "POST" and form.is_valid():
        form.attempt(lambda: set_rule(study, form.rule, by=me(request)))
        if form.is_valid():
            messages.success(request, "Stopping rule: saved.")
            study.refresh_from_db()
            if (saved := looked(study)) and (beyond := beyond_in_words(saved)):
                messages.warning(request, beyond)
            return redirect("annotation:setup", study.slug)
    found = looked(study)
    context = {
        "study": study,
        "section": "stopping",
        "form": form,
        "draft": draft,
        "measures": measures,
        "found": found,
        "sentences": [unbroken(each) for each in (_of_draft(found) if draft else sentences(found))],
        "costs": tuple(costs(found.rule)) if found else (),
        "looks": looks(found) if found else None,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "evaluation/stopping.html", context, status=status)


def _of_draft(found: Looked | None) -> Iterator[str]:
    """Nothing was read yet: the rule, and whether all its looks can be taken."""
    if found is not None:
        yield rule_in_words(found)
        if beyond := beyond_in_words(found):
            yield beyond
