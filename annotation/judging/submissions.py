"""What a reader sends with one press of a button: read, checked, and in the form in which it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import SAID, Assignment, Basis, Outcome
from annotation.tasktypes.base import Answer, Invalid, is_storable
from common import wording

LONGEST_NOTE, LONGEST_REASON = 10_000, 500
TEXTS = (
    gettext_noop("note"),
    gettext_noop("reason"),
    gettext_noop("message"),
    gettext_noop("name of a field"),
)
"""The texts that a reader writes, as a refusal names them."""
MOST_PREVIEWS, LONGEST_STAY = 100_000, 366 * 86_400


class Submission(NamedTuple):
    """One press of one button.

    submission: the form's own id; a second press with the same id makes no second judgment.
    outcome: answer, undecided or broken.
    data: the fields of the answer, as the form or the script sent them.
    reason: why there is no answer; empty beside one.
    note: what the reader wrote with it.
    active_seconds: how long the page was in front of the reader, as the browser says; None: not counted.
    previews: how often a passage was read in the gap.
    revision: the revision that the form was made from, 0 for none.
    channel: web, api or simulation.
    confidence, basis: answers to the study's own questions, where it asks them.
    order: canonical option numbers in the order that was shown, which `data` counts in; None where `data` is
        in canonical terms, as from a program that has seen the item itself.
    """

    submission: UUID
    outcome: str
    data: Mapping[str, Any]
    reason: str = ""
    note: str = ""
    active_seconds: float | None = None
    previews: int = 0
    revision: int = 0
    channel: str = "web"
    confidence: int | None = None
    basis: str = ""
    order: Sequence[int] | None = None


class Content(NamedTuple):
    """What a reader answered, checked and in its stored form. Two equal values are the same answer.

    outcome: answer, undecided or broken.
    answer: the answer in canonical terms; None without one.
    reason: why there is no answer; empty beside one.
    note: what the reader wrote with it.
    confidence: how sure the reader was, 1 to 5; None where it was not said.
    basis: recognised, worked out or guessed; empty where it was not said.
    """

    outcome: str
    answer: Answer | None
    reason: str
    note: str
    confidence: int | None = None
    basis: str = ""


def read_submission(assignment: Assignment, submission: Submission) -> Content:
    """Check everything a reader may have written. Raises `Invalid`, which names the wrong field."""
    data = single_values(submission.data)
    note = checked_text(submission.note, "note", LONGEST_NOTE).strip()
    reason = checked_text(submission.reason, "reason", LONGEST_REASON).strip()
    if submission.outcome not in SAID:
        said = _("Say what you decided: {acts} (not {sent}).")
        raise Invalid(said.format(acts=", ".join(SAID), sent=repr(submission.outcome)), "outcome")
    if submission.outcome != Outcome.ANSWER:
        return Content(submission.outcome, None, reason, note)
    task, payload, order = assignment.study.task_type, assignment.item.payload, submission.order
    answer = task.parse(payload, data) if order is None else task.read(payload, data, order)
    # A reason explains why there is no answer; beside an answer it is a leftover of the form.
    return Content(submission.outcome, answer, "", note, *answers_to_questions(assignment, submission))


def answers_to_questions(assignment: Assignment, submission: Submission) -> tuple[int | None, str]:
    """Return the answers to the optional questions: neither is required, and none is taken where it is not
    asked.
    """
    study, sure, basis = assignment.study, submission.confidence, submission.basis
    if sure is not None and not study.ask_confidence:
        raise Invalid(_("This study does not ask how sure you are."), "confidence")
    if sure is not None and (not isinstance(sure, int) or isinstance(sure, bool) or not 1 <= sure <= 5):
        raise Invalid(_("Say how sure you are from 1 (not at all) to 5 (certain)."), "confidence")
    if basis and not study.ask_basis:
        raise Invalid(_("This study does not ask where your answer came from."), "basis")
    if basis and basis not in Basis.values:
        said = _("Say where your answer came from: {ways}.")
        raise Invalid(said.format(ways=", ".join(Basis.values)), "basis")
    return sure, basis


def single_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a form's or a body's fields as plain values: one each, and storable."""
    getlist = getattr(data, "getlist", None)
    values = {}
    for field in data:
        several = getlist(field) if getlist else [data[field]]
        if len(several) > 1:
            said = _("“{field}” came {n} times: give one value.")
            raise Invalid(said.format(field=field, n=len(several)), field)
        values[field] = data[field]
        if isinstance(values[field], str):
            checked_text(values[field], field, LONGEST_NOTE)
    return values


def checked_text(text: Any, field: str, longest: int) -> str:
    """Return the text. Raises `Invalid` if it is too long or has characters that cannot be stored or
    exported.
    """
    named = _(field) if field in TEXTS else field
    if not isinstance(text, str):
        raise Invalid(_("“{field}” must be a text.").format(field=named), field)
    if len(text) > longest:
        said = _("“{field}” has {n} characters: at most {most} fit.")
        there, most = wording.number(len(text)), wording.number(longest)
        raise Invalid(said.format(field=named, n=there, most=most), field)
    if not is_storable(text):
        said = _("“{field}” holds NUL or half a character pair, which cannot be stored.")
        raise Invalid(said.format(field=named), field)
    return text


def bounded_seconds(claimed: float | None, assignment: Assignment, now: datetime) -> float | None:
    """Return the time the page claims, at most what passed on the server's clock since it was first shown."""
    since = assignment.opened or assignment.claimed
    claimed = plausible_seconds(claimed)
    if claimed is None or since is None:
        return None
    return round(min(claimed, max((now - since).total_seconds(), 0.0)), 3)


def plausible_seconds(claimed: Any) -> float | None:
    """Return a number of seconds from 0 up to a year, or None for anything else."""
    if not isinstance(claimed, int | float) or not abs(claimed) <= LONGEST_STAY:
        return None
    return max(float(claimed), 0.0)


def bounded_count(previews: Any) -> int:
    """Return a count of previews within what the column holds; 0 for what is no whole number."""
    return min(max(previews, 0), MOST_PREVIEWS) if isinstance(previews, int) else 0
