"""What a researcher chooses to have measured: judgments, runs, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from evaluation.runs.asked import DEEPEST, Asked, blocks_of, measured
from evaluation.runs.report import RunsReport
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet
from retrieval.forms.acting import ActingForm

HIGHEST_GRADE = 100
SHOWN_FIRST = 4
"""Runs that are measured before anything was chosen."""


class AskForm(ActingForm):
    """The choice, bound to the address, so that it can be linked to."""

    qrels = forms.ChoiceField(label="Judgments")
    run = forms.MultipleChoiceField(label="Runs", widget=forms.CheckboxSelectMultiple)
    base = forms.ChoiceField(label="Compare with", required=False)
    level = forms.IntegerField(
        label="Relevant from",
        required=False,
        min_value=1,
        max_value=HIGHEST_GRADE,
        help_text="A grade. Empty: half the scale.",
    )
    facet = forms.ChoiceField(label="By facet", required=False)
    measures = forms.CharField(
        label="Measures",
        required=False,
        max_length=200,
        help_text="With commas, such as MAP, nDCG@10, P@5. Empty: two tables of the usual ones.",
    )
    highest = forms.IntegerField(
        label="Highest grade",
        required=False,
        min_value=1,
        max_value=HIGHEST_GRADE,
        help_text="Of the scale. Empty: the highest given.",
    )
    depth = forms.IntegerField(
        label="Pool depth",
        required=False,
        min_value=1,
        max_value=DEEPEST,
        help_text="What each run alone brought to a pool of this depth, and is worth without it.",
    )

    def __init__(
        self, given: QueryDict, corpus: Corpus, topics: TopicSet, qrels: Sequence[Qrels], runs: Sequence[Run]
    ) -> None:
        super().__init__(given if "qrels" in given else {**given.dict(), **_first(qrels, runs)})
        self._corpus, self._topics = corpus, topics
        names = [(run.name, run.name) for run in runs]
        self._choices("qrels", [(each.name, each.name) for each in qrels])
        self._choices("run", names)
        self._choices("base", [("", "No run"), *names])
        self._choices("facet", [("", "No facet"), *((name, name) for name in topics.facets)])

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def report(self) -> RunsReport | None:
        """Return the numbers; None where what was chosen is refused and the form says why.

        Raises:
            TooMuch: there is more to measure than a request may.
        """
        return (
            self.attempt(lambda: measured(self.asked(), within_a_request=True)) if self.is_valid() else None
        )

    def asked(self) -> Asked:
        """Return what was chosen by a form that is valid. Raises `BadField` for a measure that is none."""
        said = dict(self.cleaned_data)
        said["blocks"] = blocks_of(said.pop("measures"))
        return Asked(self._corpus, self._topics, said.pop("qrels"), tuple(said.pop("run")), **said)

    def clean(self) -> dict[str, Any]:
        """Refuse to compare with a run that is not among those that are measured."""
        cleaned = super().clean() or self.cleaned_data
        base, runs = cleaned.get("base"), cleaned.get("run") or []
        if base and runs and base not in runs:
            self.add_error("base", f"{base} is not among the runs chosen above; choose it there as well.")
        return cleaned


def _first(qrels: Sequence[Qrels], runs: Sequence[Run]) -> dict[str, Any]:
    """Return what is shown before anything was chosen: the first judgments and runs, without comparison."""
    return {"qrels": qrels[0].name if qrels else "", "run": [run.name for run in runs[:SHOWN_FIRST]]}
