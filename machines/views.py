"""The page of models, for staff: which may be asked, how each stands, and a button to probe it."""

from __future__ import annotations

import time

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from common.roles import staff_required
from machines import standing
from machines.endpoints import endpoints, problems
from machines.ledger import probe

CALL_SECONDS, PROBE_SECONDS = 8.0, 16.0
"""The longest that one call of a probe, and its beginnings, may take while somebody waits."""


@staff_required
@require_safe
def models(request: HttpRequest) -> HttpResponse:
    """List the models that may be asked."""
    context = {"standings": standing.standings(), "problems": problems()}
    return render(request, "machines/models.html", context)


@staff_required
@require_POST
def probe_model(request: HttpRequest, name: str) -> HttpResponse:
    """Ask one model what it honours."""
    endpoint = endpoints().get(name)
    if endpoint is None or endpoint.kind == "checkpoint":
        raise Http404
    end = time.monotonic() + PROBE_SECONDS
    found = probe(endpoint, seconds=CALL_SECONDS, go_on=lambda: time.monotonic() < end)
    if found.reached:
        messages.success(request, f"{endpoint} was probed.")
    else:
        messages.error(request, f"{endpoint} could not be probed. {found.problem}")
    return redirect("machines:models")
