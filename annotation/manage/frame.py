"""Access to the researcher's pages, and what every page of a study needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import get_study, get_workbench, studies_for
from annotation.models import Study
from annotation.studies.overview import is_simulated
from common.roles import me

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
StudyView = Callable[Concatenate[HttpRequest, Study, P], HttpResponseBase]
WorkbenchView = Callable[Concatenate[HttpRequest, Study, bool, P], HttpResponseBase]
reads_or_posts = require_http_methods(["GET", "HEAD", "POST"])

__all__ = [
    "frame",
    "me",
    "reads_or_posts",
    "require_POST",
    "require_safe",
    "researcher_of_study",
    "researcher_required",
    "workbench_of_study",
]


def researcher_of_study(view: StudyView[P]) -> Callable[..., HttpResponseBase]:
    """Decorate a view of `<slug>/…`: it gets the study that this person directs, or answers 404."""

    @wraps(view)
    def found(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, get_study(request.user, slug), *args, **kwargs)

    return login_required(found)


def workbench_of_study(view: WorkbenchView[P]) -> Callable[..., HttpResponseBase]:
    """Decorate a view of `<slug>/…`: it gets the study whose workbench this person may use, and whether they
    direct it; or answers 404.
    """

    @wraps(view)
    def found(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        study, directing = get_workbench(request.user, slug)
        return view(request, study, directing, *args, **kwargs)

    return login_required(found)


def researcher_required(view: View[P]) -> Callable[..., HttpResponseBase]:
    """Decorate a page without a study: it is open to people who may set up studies or direct one; 404 for
    others.
    """

    @wraps(view)
    def found(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not me(request).has_perm("annotation.add_study") and not studies_for(request.user).exists():
            raise Http404
        return view(request, *args, **kwargs)

    return login_required(found)


def frame(study: Study, section: str, *, simulated: bool | None = None, **more: Any) -> dict[str, Any]:
    """Return the context of `annotation/manage/base.html`: the study, the section, whether its readers are
    programs.
    """
    if simulated is None:
        simulated = is_simulated(study)
    return {"study": study, "section": section, "simulated": simulated, **more}
