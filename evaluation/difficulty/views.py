"""The page on what makes items hard, for the researchers of a study."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from common.tables.formats import download
from evaluation.difficulty import tables
from evaluation.difficulty.report import difficulty
from evaluation.values.wording import unbroken


@require_safe
@login_required
def hard(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=`` the numbers as a file."""
    study = get_study(request.user, slug)
    found = difficulty(study)
    if wanted := request.GET.get("format"):
        return download(tables.FORMATS, wanted, found, f"{found.slug}-difficulty")
    context = {
        "study": study,
        "section": "difficulty",
        "found": found,
        "sentences": [unbroken(each) for each in tables.sentences(found)],
        "how": tables.HOW,
        "picture": tables.picture(found),
        "effects": tables.effects(found),
        "lures": tables.lures(found),
        "worst": tables.worst(found),
        "formats": tables.FORMATS,
    }
    return render(request, "evaluation/difficulty.html", context)
