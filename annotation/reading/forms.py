"""The form around an answer: the act, its reason, note and confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.judging import conflicts, drafts
from annotation.judging.submissions import LONGEST_NOTE, LONGEST_REASON, Submission
from annotation.models import Assignment, Basis, Judgment, Outcome
from annotation.tasktypes.base import Invalid


def offered(assignment: Assignment) -> dict[str, str]:
    """Return the reasons that the task offers, by their words in the reader's language.

    Who sends those words again gives the same reason again, and not one of their own.
    """
    return {_(reason): reason for reason in assignment.study.task_type.undecided_reasons}


class SharedFields(dict[str, forms.Field]):
    """Fields that all forms of a class share, and none changes: Django copies them for each, and a step has
    two forms.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> SharedFields:
        return self


class JudgmentForm(forms.Form):
    """The form around the answer; the answer itself is parsed by the task type.

    The pressed button says which act it was: `undecided` (its value is the reason, or
    empty where the reader's own words are in `other`), `broken`, or else an answer.
    """

    submission = forms.UUIDField(widget=forms.HiddenInput)
    revision = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    active_seconds = forms.FloatField(min_value=0, required=False, widget=forms.HiddenInput)
    previews = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)
    draft_known = forms.CharField(required=False, max_length=2_000, widget=forms.HiddenInput)
    undecided = forms.CharField(required=False, max_length=LONGEST_REASON)
    other = forms.CharField(
        label=gettext_lazy("Another reason"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 2}),
    )
    broken = forms.CharField(required=False, max_length=10)
    fault = forms.CharField(
        label=gettext_lazy("What is wrong with it?"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 2}),
    )
    confidence = forms.IntegerField(
        label=gettext_lazy("How sure are you?"), required=False, min_value=1, max_value=5
    )
    basis = forms.ChoiceField(
        label=gettext_lazy("Where does your answer come from?"),
        required=False,
        choices=[(each.value, gettext_lazy(each.label)) for each in Basis],
    )
    note = forms.CharField(
        label=gettext_lazy("Note to the researcher"),
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea({"rows": 3}),
    )

    def __init__(self, *args: Any, assignment: Assignment, **kwargs: Any) -> None:
        # Ids carry the item, so that after a swap the focus cannot stay on the next item's button.
        kwargs["auto_id"] = f"%s-{assignment.pk}"
        super().__init__(*args, **kwargs)
        self.offered = offered(assignment)

    @classmethod
    def blank(
        cls, assignment: Assignment, current: Judgment | None, note: str = "", *, revision: int = 0
    ) -> JudgmentForm:
        """Return a form with an id of its own for this reader's assignment: their last answer, then the
        draft.

        `revision`: the last one there, where `current` was taken back.
        """
        initial: dict[str, Any] = {"submission": uuid4(), "revision": revision, "note": note}
        if current is not None:
            own = {Outcome.UNDECIDED: "other", Outcome.BROKEN: "fault"}.get(Outcome(current.outcome))
            initial |= {"revision": revision or current.revision, "note": note or current.note}
            in_words = {reason: words for words, reason in offered(assignment).items()}
            initial |= {own: in_words.get(current.reason, current.reason)} if own else {}
            initial |= {"confidence": current.confidence, "basis": current.basis}
        draft = drafts.typed_fields(assignment)
        initial |= {name: draft[name] for name in cls.base_fields if name in draft and not note}
        initial |= drafts.counted_time(assignment)
        initial[conflicts.KNOWN] = assignment.draft.get(conflicts.VERSION, "")
        return cls(assignment=assignment, initial=initial)

    @classmethod
    def again(cls, assignment: Assignment, said: Mapping[str, Any], *, revision: int) -> JudgmentForm:
        """Return a new form for this assignment as it is now, with what an older form said."""
        held = {name: said.get(name, "") for name in cls.base_fields}
        return cls(assignment=assignment, initial=held | {"submission": uuid4(), "revision": revision})

    def outcome(self) -> str:
        """Return which button was pressed: answer, undecided or broken."""
        if "undecided" in self.data:
            return Outcome.UNDECIDED
        return Outcome.BROKEN if "broken" in self.data else Outcome.ANSWER

    def reason(self) -> str:
        """Return the act's reason. Raises `Invalid` where the act needs one and has none."""
        said = self.cleaned_data
        if self.outcome() == Outcome.UNDECIDED:
            reason, field = said["undecided"] or said["other"], "other"
            missing = _("Choose a reason, or say in a few words why you can’t decide.")
        elif self.outcome() == Outcome.BROKEN:
            reason, field = said["fault"], "fault"
            missing = _("Say in a few words what is wrong with this item.")
        else:
            return ""
        if not reason:
            raise Invalid(missing, field)
        return self.offered.get(str(reason), str(reason))

    def read(self, order: Sequence[int]) -> Submission:
        """Return the submission of somebody who sees the options in this order.

        Raises `Invalid` with a sentence for the reader.
        """
        # A reason that was begun for another act is not sent, and stands in nobody's way.
        needed = None if self.data.get("undecided") else conflicts.REASONS.get(Outcome(self.outcome()))
        begun = {*conflicts.REASONS.values()} - {needed}
        wrong = [(field, errors) for field, errors in self.errors.items() if field not in begun]
        if wrong:
            field, errors = wrong[0]
            if self.fields[field].widget.is_hidden:
                raise Invalid(_("This form did not arrive whole: load the page again."), "submission")
            raise Invalid(f"{self.fields[field].label}: {errors[0]}", field)
        around = {"csrfmiddlewaretoken", "answer", *self.fields}
        answer = QueryDict(mutable=True)
        for name in set(self.data) - around:
            # All values, so that an answer given twice is refused and not half read.
            answer.setlist(name, cast("QueryDict", self.data).getlist(name))
        return Submission(
            submission=self.cleaned_data["submission"],
            outcome=self.outcome(),
            data=answer,
            reason=self.reason(),
            note=self.cleaned_data["note"],
            active_seconds=self.cleaned_data["active_seconds"],
            previews=self.cleaned_data["previews"] or 0,
            revision=self.cleaned_data["revision"],
            confidence=self.cleaned_data["confidence"],
            basis=self.cleaned_data["basis"],
            order=order,
        )


JudgmentForm.base_fields = SharedFields(JudgmentForm.base_fields)
