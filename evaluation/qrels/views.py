"""Judgments made of a study's grades, for its researchers: what they would be, and both files."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotation.access import get_study
from annotation.models import Event
from common.errors import BadInput
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.qrels.of_study import ANSWERS, SAID, StudyQrels, lines, sidecar, study_qrels


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def qrels(request: HttpRequest, slug: str) -> HttpResponse:
    """The page for one rule; a POST sends one of the two files and is noted in the record."""
    study = get_study(request.user, slug)
    asked = request.POST if request.method == "POST" else request.GET
    rule, answers = asked.get("rule", "median"), asked.get("answers", "all")
    try:
        found, problem = study_qrels(study, rule, answers=answers), ""
    except BadInput as error:
        found, problem = None, str(error)
    if found is None or request.method != "POST":
        context = {
            "study": study,
            "section": "qrels",
            "rule": rule,
            "rules": [(name, SAID[name]) for name in RULES],
            "answers": answers,
            "kinds_of_answers": ANSWERS.items() if study.shows_machine else (),
            "found": found,
            "problem": problem,
        }
        refused = found is None and (request.method == "POST" or rule not in RULES or answers not in ANSWERS)
        return render(request, "evaluation/qrels.html", context, status=422 if refused else 200)
    part = "json" if request.POST.get("part") == "json" else "qrels"
    Event.objects.create(
        study=study,
        actor=cast(User, request.user),
        verb="export",
        data={"format": part, "rule": found.made.rule}
        | ({"answers": found.answers} if study.shows_machine else {}),
    )
    return file_of(found, part, "header" in request.POST)


def file_of(found: StudyQrels, part: str, header: bool = False) -> HttpResponse:
    """One of the two files as a download; ``part``: qrels or json, ``header``: see `lines`."""
    written = "".join(lines(found, header))
    if part == "json":
        response = HttpResponse(sidecar(found, written), content_type="application/json; charset=utf-8")
    else:
        response = HttpResponse(written, content_type="text/plain; charset=utf-8")
    name = f"{found.study.slug}-{found.made.rule}.qrels{'.json' if part == 'json' else ''}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
