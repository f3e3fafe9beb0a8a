"""All definitions of agreement on a study, for its researchers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study
from annotation.people.withdrawal import withdrawals
from annotation.validation.first_grades import seen_in
from evaluation.microscope.compare import microscope as look
from evaluation.values.sentences import machine_seen, withdrawn


@require_safe
@login_required
def microscope(request: HttpRequest, slug: str) -> HttpResponse:
    """Every definition of agreement side by side."""
    study = get_study(request.user, slug)
    told = tuple(withdrawn(withdrawals(study)))
    context = {"study": study, "section": "microscope", "scope": look(study), "withdrawn": told}
    context["machine_seen"] = machine_seen(seen_in(study))
    return render(request, "evaluation/microscope.html", context)
