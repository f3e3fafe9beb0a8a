"""What an adjudicator sends: a reader's answer adopted, one of their own, or that none can be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.http import QueryDict

from annotation.adjudication.decisions import LONGEST_REASON, NO_REASON, SameAnswer, SubmittedDecision
from annotation.judging.submissions import single_values
from annotation.models import Decision, Item
from annotation.tasktypes.base import Answer, Invalid

OWN, NONE, ADOPT, PLAIN = "own", "none", "adopt-", "plain-"
"""What was chosen: the control, no answer, a reading by its key, or a plain answer by its place."""


def form_id(current: Decision | None, seen: str) -> dict[str, Any]:
    """Return the text that ties a form to the state of the item it is shown with."""
    return {"submission": uuid4(), "revision": current.revision if current else 0, "seen": seen}


class AdjudicationForm(forms.Form):
    """The form around the answer; the answer itself is parsed by the task type."""

    submission = forms.UUIDField(widget=forms.HiddenInput)
    revision = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    choice = forms.CharField(required=False, max_length=40)
    reason = forms.CharField(
        label="Why",
        max_length=LONGEST_REASON,
        error_messages={"required": NO_REASON},
        widget=forms.Textarea({"rows": 4}),
        help_text="The readers of this item see it when the study is closed. Name no reader.",
    )

    @classmethod
    def blank(cls, current: Decision | None, seen: str) -> AdjudicationForm:
        """Return a form with an id of its own, for the state of the item it is shown with."""
        return cls(initial={"reason": current.reason if current else ""} | form_id(current, seen))

    def again(self, current: Decision | None, seen: str) -> AdjudicationForm:
        """Return what was sent in a new form for the present state of the item."""
        stored = {"reason": current.reason if current else ""}
        return AdjudicationForm(
            {**cast("QueryDict", self.data).dict(), **form_id(current, seen)}, initial=stored
        )

    def read(self, item: Item, readings: list[SameAnswer], order: Sequence[int]) -> SubmittedDecision:
        """Return the decision of an adjudicator who sees the options in this order. Raises `Invalid`."""
        if not self.is_valid():
            field, errors = next(iter(self.errors.items()))
            if self.fields[field].widget.is_hidden:
                raise Invalid("This form did not arrive whole: load the page again.", "submission")
            raise Invalid(str(errors[0]), field)
        said = self.cleaned_data
        answer = self.answer(item, readings, order)
        return SubmittedDecision(said["submission"], answer, said["reason"], said["revision"], said["seen"])

    def answer(self, item: Item, readings: list[SameAnswer], order: Sequence[int]) -> Answer | None:
        """Return the answer that was chosen, None for none. Raises `Invalid` where nothing was."""
        choice, task = self.cleaned_data["choice"], item.study.task_type
        if choice == NONE:
            return None
        if choice == OWN:
            around = {"csrfmiddlewaretoken", *self.fields}
            fields: Any = self.data
            sent = {name: value for name, value in single_values(fields).items() if name not in around}
            return task.read_verdict(item.payload, sent, order)
        known = {f"{ADOPT}{each.key}": each.answer for each in readings if each.answer is not None}
        known |= {
            f"{PLAIN}{place}": task.parse(item.payload, {each.field: each.value})
            for place, each in enumerate(task.plain_answers)
        }
        if choice not in known:
            raise Invalid("Adopt a reading, give another answer, or say that none can be given.", "choice")
        return known[choice]
