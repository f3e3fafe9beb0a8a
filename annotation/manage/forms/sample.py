"""How a sample for validation is drawn."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import MachineReader, StrataRule, Study
from annotation.models.validation import MOST_PARTS, TOLD
from annotation.validation import machine_answers
from annotation.validation.machine_answers import Answers
from annotation.validation.samples import LONGEST_TOLD, Wish
from retrieval.forms.imports import TextFile


class SampleForm(forms.Form):
    """Choose the machine's answers, the share, the strata and the arms."""

    reader = forms.ModelChoiceField(
        label="Machine reader",
        queryset=MachineReader.objects.none(),
        required=False,
        empty_label="None: a file",
        help_text="One of this study that has read its items.",
    )
    file = TextFile(
        label="Or a file of the machine’s judgments",
        required=False,
        help_text="TREC’s qrels, or JSON lines with topic and document (or item, its number) and grade.",
    )
    percent = forms.FloatField(
        label="Share of the items, in per cent", min_value=0.01, max_value=100, initial=40
    )
    rule = forms.ChoiceField(
        label="Strata are made of",
        choices=StrataRule.choices,
        initial=StrataRule.GRADE_IN_TOP,
        widget=forms.RadioSelect,
        help_text="Each stratum gives its share, and two items at least. Of items without runs the first "
        "choice takes the machine’s answer alone.",
    )
    top_k = forms.IntegerField(
        label="Documents of each run that count as its first", min_value=1, max_value=1000, initial=10
    )
    whole_topics = forms.BooleanField(
        label="Draw whole topics",
        required=False,
        help_text="Every item of a topic, or none; there are no strata then. For measures of a topic, such "
        "as nDCG, which a sample of items cannot give. No item can be pre-filled.",
    )
    blind = forms.IntegerField(
        label="Blind: parts",
        min_value=0,
        max_value=MOST_PARTS,
        initial=1,
        help_text="The machine is not shown.",
    )
    reveal = forms.IntegerField(
        label="Revealed: parts",
        min_value=0,
        max_value=MOST_PARTS,
        initial=1,
        help_text="Its answer is shown after the reader’s own, which is kept.",
    )
    prefilled = forms.IntegerField(
        label="Pre-filled: parts",
        min_value=0,
        max_value=MOST_PARTS,
        initial=1,
        help_text="Its answer is chosen beforehand. Such answers are in no estimate; they show the pull.",
    )
    told = forms.CharField(
        label="What readers are told before they begin",
        max_length=LONGEST_TOLD,
        initial=TOLD,
        widget=forms.Textarea({"rows": 5}),
    )

    def __init__(self, *data: Any, study: Study) -> None:
        super().__init__(*data)
        self.study = study
        readers = self.fields["reader"]
        assert isinstance(readers, forms.ModelChoiceField)  # noqa: S101 - declared above
        for name in ("reader", "file"):
            self.fields[name].needed = "one of both is needed"  # type: ignore[attr-defined]
        readers.queryset = machine_answers.readers_for(study)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        if bool(said.get("reader")) == bool(said.get("file")) and "file" not in self.errors:
            self.add_error("reader", "Choose a machine reader or a file: one of the two.")
        return said

    def answers(self) -> Answers:
        """Return the machine's answers. Raises `BadInput`."""
        said = self.cleaned_data
        if said["reader"]:
            return machine_answers.of_reader(self.study, said["reader"])
        return machine_answers.of_file(self.study, said["file"].read(), said["file"].name)

    def wish(self) -> Wish:
        """Return what was asked for."""
        names = ("rule", "top_k", "blind", "reveal", "prefilled", "told", "whole_topics")
        said = self.cleaned_data
        return Wish(share=said["percent"] / 100, **{name: said[name] for name in names})
