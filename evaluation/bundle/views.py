"""The bundle of a study, for its researchers: what it proves, whose key signs, and the file."""

from __future__ import annotations

import tempfile
from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import get_study
from annotation.dataset.describing.card import LICENCES
from annotation.export.judgments import count
from annotation.models import Study
from common.errors import BadInput
from evaluation.bundle import keys
from evaluation.bundle.reports import Asked
from evaluation.bundle.write import write_bundle
from evaluation.metrics.common.intervals import RESAMPLES

MOST = 50_000
"""Judgments of which a page makes a bundle while somebody waits, some seconds; the command makes any."""
IN_MEMORY = 16 * 2**20
NO_LICENCE = f"Choose one of the licences, {', '.join(LICENCES)}, or none."


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def bundle(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The page; a POST sends the file and is noted in the record."""
    study = get_study(request.user, slug)
    licence = request.POST.get("licence", "")
    problem = too_large(study) if not licence or licence in LICENCES else NO_LICENCE
    if request.method == "POST" and not problem:
        try:
            return made(study, licence, cast("User", request.user))
        except BadInput as error:
            problem = str(error)
    key = keys.known()
    context = {
        "study": study,
        "section": "bundle",
        "problem": problem,
        "licence": licence,
        "licences": LICENCES,
        "signer": settings.SIGNER,
        "fingerprint": key.fingerprint if key else "",
        "pem": key.pem.decode() if key else "",
    }
    return render(request, "evaluation/bundle.html", context, status=422 if request.method == "POST" else 200)


def too_large(study: Study) -> str:
    """Why no page makes this study's bundle, or empty."""
    n = count(study, every_kind=True)
    if n <= MOST:
        return ""
    return (
        f"{n:,} judgments take longer to sign than a page can wait. From a terminal: "
        f"manage.py bundle {study.slug} {study.slug}.bundle.zip"
    )


def made(study: Study, licence: str, by: User) -> FileResponse:
    """Return the bundle as a download. Raises BadInput."""
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the response closes it
    try:
        write_bundle(study, file, Asked(timezone.now(), RESAMPLES), licence=licence, by=by)
    except BadInput:
        file.close()
        raise
    file.seek(0)
    return FileResponse(
        file, as_attachment=True, filename=f"{study.slug}.bundle.zip", content_type="application/zip"
    )
