"""The steps by which a draft is set up. What is fixed once readers are in can then only be looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from annotation.models import Event, Kind, State, Study

MOST_MINUTES = 30 * 24 * 60
GREATEST_SEED = 2**63 - 1
CURRENCIES = ("EUR", "GBP", "USD", "CHF")
BETWEEN, NUMBERS = re.compile(r"[,;\s]+"), re.compile(r"(\d{1,9})(?:[-–](\d{1,9}))?")


class StepForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Some settings of a study. `fixed`: those that stay as they are once the study has opened."""

    fixed: ClassVar[tuple[str, ...]] = ()
    heading: ClassVar[str]
    lead: ClassVar[str]

    def __init__(self, data: Mapping[str, Any] | None = None, *, study: Study) -> None:
        super().__init__(data, instance=study)
        if study.state != State.DRAFT:
            for name in self.fixed:
                self.fields[name].disabled = True

    @property
    def changeable(self) -> bool:
        """Whether any of it can still be changed."""
        return not all(each.disabled for each in self.fields.values())

    def keep(self) -> dict[str, Any]:
        """Store what was changed; return the new values by name, for the record."""
        names = [name for name in self.changed_data if name in (self._meta.fields or ())]
        self.instance.save(update_fields=names)
        return {name: str(self.cleaned_data[name]) for name in names}


class BasicsForm(StepForm):
    """Set title and contact."""

    heading = "Title and contact"
    lead = "What readers see above every page, and whom they may ask."

    class Meta:
        model = Study
        fields = ("title", "contact")
        help_texts: ClassVar = {
            "title": "Readers see it.",
            "contact": "Whom readers may ask: a name, an address.",
        }


class ReadingForm(StepForm):
    """Set how many readings an item gets, and the orders."""

    heading = "How it is read"
    lead = "How many readings an item gets, and in which order readers come to them."
    fixed = ("overlap", "option_order", "filling", "seed", "neighbours", "earlier_answers", "source_after")

    class Meta:
        model = Study
        fields = (
            *("overlap", "option_order", "filling", "neighbours", "earlier_answers", "source_after"),
            *("quota", "lease_minutes", "seed"),
        )
        widgets: ClassVar = {"option_order": forms.RadioSelect, "filling": forms.RadioSelect}
        labels: ClassVar = {
            "overlap": "Readings of each item (k)",
            "option_order": "Order of the options",
            "filling": "Order of the items",
            "neighbours": "Readers may open what stands before and behind a document",
            "earlier_answers": "Readers may open their own earlier answers beside an item",
            "source_after": "Readers may read the passages in their book once they have answered",
            "quota": "At most so many items a reader",
            "lease_minutes": "An untouched item is kept for (minutes)",
        }
        help_texts: ClassVar = {
            "overlap": "So many readers judge each item, independently of each other.",
            "option_order": "With an order for each reader, a liking for the first place cannot look like "
            "agreement.",
            "filling": "One by one, you have complete items early. Once all over first, you have every item "
            "early, should readers stop half-way.",
            "neighbours": "One key each. Which were opened is stored with each judgment: readers who saw "
            "more of the source may judge otherwise.",
            "earlier_answers": "Those of the same topic or group, never anybody else’s. They help to be "
            "consistent, and they anchor: off unless you want that.",
            "source_after": "The reward of good reading. Who has read them there can no longer change that "
            "answer, and when it was is stored.",
            "quota": "Left empty, readers go on as long as there is something for them.",
            "lease_minutes": "After that somebody else may be given it. An answer in progress is never "
            "thrown away.",
            "seed": "A number from which all that is random is drawn. The same seed draws the same; any "
            "number will do.",
        }

    def __init__(self, data: Mapping[str, Any] | None = None, *, study: Study) -> None:
        super().__init__(data, study=study)
        bounds = {"overlap": (1, 50), "quota": (1, None), "lease_minutes": (1, MOST_MINUTES)}
        for name, (least, most) in {**bounds, "seed": (0, GREATEST_SEED)}.items():
            field = forms.IntegerField(
                label=self.fields[name].label,
                help_text=self.fields[name].help_text,
                required=self.fields[name].required,
                disabled=self.fields[name].disabled,
                min_value=least,
                max_value=most,
            )
            self.fields[name] = field
        if not study.task_type.orders_options:
            del self.fields["option_order"]
        if not study.task_type.from_pools:
            del self.fields["neighbours"]
        if not study.job_id and not study.source_after:
            del self.fields["source_after"]
        if not study.task_type.has_groups:
            del self.fields["earlier_answers"]


class QuestionsForm(StepForm):
    """Set the questions beside each answer, and the pay."""

    heading = "Questions and pay"
    lead = "What is asked beside each answer, and what readers are paid."
    fixed = ("ask_confidence", "ask_basis")

    currency = forms.ChoiceField(
        choices=[("", "none"), *((name, name) for name in CURRENCIES)], required=False
    )

    class Meta:
        model = Study
        fields = ("ask_confidence", "ask_basis", "rate", "currency")
        labels: ClassVar = {
            "ask_confidence": "Ask how sure the reader is, from 1 to 5",
            "ask_basis": "Ask whether the answer was recognised, worked out or guessed",
            "rate": "Paid for each item",
        }
        help_texts: ClassVar = {
            "ask_confidence": "One key. Readers may leave it out.",
            "ask_basis": "One key. It separates memory from inference; readers may leave it out.",
            "rate": "Readers see what they have earned. Left empty, nothing is said of pay.",
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        rate = data.get("rate")
        if rate is not None and rate < 0:
            self.add_error("rate", "A rate cannot be negative.")
        if rate is not None and not data.get("currency"):
            self.add_error("currency", "Say in which currency.")
        return data


class NumbersField(forms.CharField):
    """Numbers of items as people write them: 1, 4-6, 9."""

    def clean(self, value: Any) -> list[int]:
        text = str(super().clean(value))
        numbers: set[int] = set()
        for part in filter(None, BETWEEN.split(text)):
            found = NUMBERS.fullmatch(part)
            if found is None or int(found[2] or found[1]) - int(found[1]) > 10_000:
                raise forms.ValidationError(f"“{part}” is no number of an item: write such as 1, 4-6, 9.")
            numbers.update(range(int(found[1]), int(found[2] or found[1]) + 1))
        return sorted(numbers)


class PracticeForm(StepForm):
    """Choose practice and check items, and their rules."""

    heading = "Practice and checks"
    lead = (
        "Practice comes before the work, and tells after each answer what was expected. Check items are "
        "mixed into the work in silence. Neither is in any result; both need a gold answer."
    )
    fixed = ("practice", "pass_mark", "check", "check_every")

    practice = NumbersField(
        label="Items for practice", required=False, help_text="Their numbers, such as 1, 4-6. Empty: none."
    )
    check = NumbersField(
        label="Items for checks", required=False, help_text="Their numbers. Empty: none are mixed in."
    )
    field_order = ("practice", "pass_mark", "check", "check_every")

    class Meta:
        model = Study
        fields = ("pass_mark", "check_every")
        labels: ClassVar = {
            "pass_mark": "Practice answers that must be right",
            "check_every": "A check item in so many items",
        }
        help_texts: ClassVar = {
            "pass_mark": "Then the work begins. Left empty, practice is shown and nobody is held back.",
            "check_every": "Where in each stretch it comes is drawn for each reader, so that nobody can "
            "guess it.",
        }

    def __init__(self, data: Mapping[str, Any] | None = None, *, study: Study) -> None:
        super().__init__(data, study=study)
        for name, kind in (("practice", Kind.PRACTICE), ("check", Kind.CHECK)):
            numbers = study.items.filter(kind=kind).order_by("number").values_list("number", flat=True)
            self.initial[name] = ", ".join(map(str, numbers))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        practice, check = data.get("practice") or [], data.get("check") or []
        both = sorted(set(practice) & set(check))
        if both:
            self.add_error("check", f"Item {both[0]} is for practice already.")
        for name, numbers in (("practice", practice), ("check", check)):
            known = dict(self.instance.items.filter(number__in=numbers).values_list("number", "gold"))
            for number in numbers:
                if number not in known:
                    self.add_error(name, f"There is no item {number}.")
                elif known[number] is None:
                    self.add_error(name, f"Item {number} has no gold answer to tell right from wrong.")
        if data.get("pass_mark") and len(practice) < data["pass_mark"]:
            self.add_error("pass_mark", f"There would be {len(practice)} practice items: too few for that.")
        if data.get("check_every") and not check:
            self.add_error("check", "Choose the items to be mixed in, or mix in none.")
        if check and not data.get("check_every"):
            self.add_error("check_every", "Say how often one is mixed in.")
        return data

    def keep(self) -> dict[str, Any]:
        changed = super().keep()
        items = self.instance.items
        if self.instance.state == State.DRAFT:
            practice, check = self.cleaned_data["practice"], self.cleaned_data["check"]
            items.exclude(number__in=[*practice, *check]).update(kind=Kind.WORK)
            items.filter(number__in=practice).update(kind=Kind.PRACTICE)
            items.filter(number__in=check).update(kind=Kind.CHECK)
            changed |= {"practice": practice, "check": check}
        return changed


STEPS: dict[str, type[StepForm]] = {
    "basics": BasicsForm,
    "reading": ReadingForm,
    "practice": PracticeForm,
    "questions": QuestionsForm,
}


def noted(study: Study, step: str, changed: dict[str, Any], by: Any) -> None:
    """Record what was set to what; nothing where nothing was changed."""
    if changed:
        Event.objects.create(study=study, actor=by, verb="settings", data={"step": step, **changed})
