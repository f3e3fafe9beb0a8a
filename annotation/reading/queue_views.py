"""What a page needs without a network: items taken along, its worker, and where acts that waited are sent.

Each act is one request with an id of its own. Its reply is JSON. 200: it is stored, now or by an earlier try.
403: nobody is signed in, or somebody else. 409 and 410: it cannot be stored as it is, and the page keeps it
for its reader. 422: it says something that cannot be. Any other status means: try again.
"""

from __future__ import annotations

from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_assignment, get_assignment_to_answer, get_enrolment
from annotation.assignment.along import AHEAD, give_back, take_along
from annotation.assignment.claiming import order_at
from annotation.assignment.holding import put_off
from annotation.judging import conflicts, drafts
from annotation.judging.judgments import Late, Reused, Stale, submit
from annotation.models import Assignment, Enrolment
from annotation.reading.forms import JudgmentForm
from annotation.reading.undo_views import done_back
from annotation.reading.views import HtmxRequest
from annotation.tasktypes.base import Invalid

WORKER = "annotation/worker.js"
SIGNED_OUT = gettext_noop("Your sign-in has ended")
NOT_YOURS = gettext_noop("This item is no longer yours: it was given back because nothing happened for long")
ELSEWHERE = gettext_noop("Another window of yours holds something else at this item")
NOT_HELD = gettext_noop("This item was answered, or given back, in the meantime")


@require_POST
def act(request: HtmxRequest, pk: int) -> HttpResponse:
    """Do one act that waited in the browser: `act` is answer, later or take_back."""
    if not request.user.is_authenticated or request.POST.get("user") != str(request.user.pk):
        return refusal(_(SIGNED_OUT), 403)
    try:
        return JsonResponse({"said": done(request, pk), "at": timezone.now().isoformat()})
    except Http404:
        return refusal(_(NOT_YOURS), 410)
    except (Invalid, Reused) as error:
        return refusal(str(error), 422)
    except conflicts.WindowConflict:
        return refusal(_(ELSEWHERE), 409)
    except Stale as error:
        return refusal(str(error), 409)
    except Late as error:
        return refusal(str(error), 410)


def done(request: HtmxRequest, pk: int) -> str:
    """Do what was asked; return what to say of it."""
    verb, act_id = request.POST.get("act", ""), request.POST.get("id", "")
    if verb == "take_back":
        assignment = get_assignment(request.user, pk)
        assert assignment.annotator is not None  # noqa: S101 - get_assignment asked for one
        return done_back(assignment, assignment.annotator, request.POST.get("of", ""), act_id)
    assignment, me = get_assignment_to_answer(request.user, pk)
    if verb == "later":
        return put_off_once(assignment, me, act_id)
    if verb != "answer":
        raise Invalid(_("An act is answer, later or take_back."), "act")
    return answered(request, assignment, me)


def put_off_once(assignment: Assignment, me: Enrolment, act_id: str) -> str:
    """Put the item off. Raises `Stale` where it is not before its reader any more."""
    own = assignment.annotator_id == me.pk
    if not own or not put_off(assignment, now=timezone.now(), act=act_id[:40]):
        raise Stale(_(NOT_HELD))
    return _("Put off for later.")


def answered(request: HtmxRequest, assignment: Assignment, me: Enrolment) -> str:
    """Store the answer, reason or fault that the form holds."""
    fields = request.POST.copy()
    for name in ("act", "id", "user"):
        fields.pop(name, None)
    form, order = JudgmentForm(fields, assignment=assignment), order_at(assignment, me)
    drafts.refuse_unseen(assignment, fields)
    submit(assignment, me, form.read(order), now=timezone.now())
    return _("Saved.")


@require_POST
def along(request: HttpRequest, slug: str) -> HttpResponse:
    """Lease the items that a reader takes along, or give back those they have not begun; reply with all
    they have, until when, and what time it is here: a browser's clock may be hours off.
    """
    if not request.user.is_authenticated:
        return refusal(_(SIGNED_OUT), 403)
    try:
        me = get_enrolment(request.user, slug)
    except Http404:
        return refusal(_("You have no part in this study"), 404)
    now = timezone.now()
    places = give_back(me, now=now) if "give_back" in request.POST else take_along(me, AHEAD, now=now)
    until = min((each.lease_until for each in places if each.lease_until), default=now)
    addresses = [each.get_absolute_url() for each in places]
    return JsonResponse({"now": now.isoformat(), "until": until.isoformat(), "places": addresses})


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """Reply with the service worker, which may be registered for the readers' pages."""
    found = finders.find(WORKER)
    assert isinstance(found, str)  # noqa: S101 - a file of ours
    script = Path(found).read_text(encoding="utf-8")
    headers = {"Service-Worker-Allowed": "/", "Cache-Control": "no-cache"}
    return HttpResponse(script, content_type="text/javascript; charset=utf-8", headers=headers)


def refusal(why: str, status: int) -> JsonResponse:
    """Return a refusal as JSON."""
    return JsonResponse({"error": why}, status=status)
