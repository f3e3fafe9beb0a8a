"""The cue audit of a study, for its researchers: a page, files, and the sentences alone for other pages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from common.tables.formats import download
from evaluation.cues.audit import FORMATS, audit_of
from evaluation.values.cues import WHAT_IT_IS, cue_table, sentences
from evaluation.values.wording import unbroken


@require_safe
@login_required
def cues(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=`` the numbers as a file, with ``?brief`` the sentences for another page."""
    study = get_study(request.user, slug)
    found = audit_of(study)
    wanted = request.GET.get("format")
    if wanted:
        return download(FORMATS, wanted, found, f"{found.slug}-cues")
    context = {
        "study": study,
        "section": "cues",
        "audit": found.audit,
        "sentences": [unbroken(each) for each in sentences(found.audit)],
        "what": WHAT_IT_IS,
        "table": None if found.audit.problem else cue_table(found.audit),
        "formats": FORMATS,
    }
    template = "evaluation/cues_brief.html" if "brief" in request.GET else "evaluation/cues.html"
    return render(request, template, context)
