"""The validation of a machine's judgments, for the study's researchers: numbers, files, and a planner."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from common.tables.formats import download
from evaluation.validation.compute import LEVEL_OF_RELEVANCE, validation
from evaluation.validation.formats import FORMATS
from evaluation.validation.planning import PlanForm, planned, usual
from evaluation.validation.sentences import notes, summary
from evaluation.validation.tables import all_tables
from evaluation.values.tables import PageSection
from evaluation.values.wording import unbroken


@require_safe
@login_required
def validated(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; with ``?format=`` the numbers as a file, with the fields of the planner its answer."""
    study = get_study(request.user, slug)
    found = validation(study, level_asked(request.GET.get("level", "")))
    wanted = request.GET.get("format")
    if wanted:
        return download(FORMATS, wanted, found, f"{found.slug}-validation")
    form = PlanForm(usual(found) | request.GET.dict())
    context = {
        "study": study,
        "section": "validation",
        "found": found,
        "summary": [unbroken(each) for each in summary(found)],
        "sections": [
            PageSection(f"part-{number}", each.title, table=each._replace(title=""))
            for number, each in enumerate(all_tables(found), 1)
        ],
        "notes": notes(found),
        "form": form,
        "planned": list(planned(form, found)) if form.is_valid() else [],
        "formats": FORMATS,
        "asked": f"level={found.level}",
    }
    status = 200 if form.is_valid() else 422
    return render(request, "evaluation/validation.html", context, status=status)


def level_asked(text: str) -> int:
    """The least relevant grade of an address; the usual one for what is no whole number from 1 to 99."""
    whole = text.isascii() and text.isdigit() and len(text) < 3 and int(text) > 0
    return int(text) if whole else LEVEL_OF_RELEVANCE
