"""The planner's page, for whoever may build studies: alone, or for a study that is being set up."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import get_study, studies_for
from annotation.models import Study
from common.errors import BadInput
from common.roles import me, scholar_required
from common.tables.formats import download
from evaluation.planning import formats
from evaluation.planning.forms import PilotForm, PlanForm
from evaluation.planning.pilot import Pilot, pilot_of
from evaluation.planning.plan import Plan, plan
from evaluation.planning.prefilled import of_pilot, of_study
from evaluation.values.wording import unbroken


@require_safe
@scholar_required
def planner(request: HttpRequest) -> HttpResponse:
    """The page; with ``?format=`` the plan as a file. ``?study=`` and ``?pilot=`` fill it in."""
    study = get_study(me(request), slug) if (slug := request.GET.get("study")) else None
    pilots = PilotForm(studies_for(me(request)), request.GET.get("pilot", ""))
    pilot = _pilot(pilots, request.GET.get("readers", "")) if pilots.is_valid() else None
    known = (of_pilot(pilot) if pilot else {}) | (of_study(study) if study else {})
    if pilot:
        known["answers"] = pilot.answers
    form = PlanForm(request.GET.dict(), known)
    found = form.attempt(lambda: plan(form.assumptions, pilot)) if form.is_valid() else None
    if found and (wanted := request.GET.get("format")):
        return download(formats.FORMATS, wanted, found, "plan")
    asked = request.GET.copy()
    asked.pop("format", None)
    context: dict[str, Any] = {
        "study": study,
        "form": form,
        "pilots": pilots,
        "pilot": pilot,
        "found": found,
        "formats": formats.FORMATS,
        "asked": asked.urlencode(),
        **_told(found),
        "command": _command(found),
    }
    status = 200 if found and not pilots.errors else 422
    return render(request, "evaluation/plan.html", context, status=status)


def _pilot(form: PilotForm, readers: str) -> Pilot | None:
    """The pilot chosen, with as many answers an item as are planned; a refusal stands beside the field."""
    study: Study | None = form.cleaned_data["pilot"]
    if study is None:
        return None
    few = int(readers) if readers.isascii() and readers.isdigit() and 0 < len(readers) < 4 else 0
    try:
        return pilot_of(study, few or None)
    except BadInput as error:
        form.add_error("pilot", str(error))
        return None


def _told(found: Plan | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {
        "summary": [unbroken(each) for each in formats.summary(found)],
        "widths": formats.widths(found),
        "powers": formats.powers(found),
        "assumes": formats.assumes(found),
    }


def _command(found: Plan | None) -> str:
    """The command that prints the same."""
    if found is None:
        return ""
    pilot = f" --pilot {found.pilot.slug}" if found.pilot else ""
    asked = (f"--{name} {value}" for name, value in formats.typed(found.assumed))
    return f"manage.py plan_study{pilot} --answers {found.assumed.answers} {' '.join(asked)}"
