"""What a researcher chooses to have measured: judgments, runs, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django import forms
from django.http import QueryDict

from annotation.models import Study
from evaluation.metrics.ranking.from_grades import RULES
from evaluation.qrels.of_study import SAID
from evaluation.runs.jobs import computing
from evaluation.runs.judgments import PREFIX
from evaluation.runs.measuring import DEEPEST, Asked, blocks_of, measured
from evaluation.runs.report import RunsReport
from evaluation.runs.stored import facet_names
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from evaluation.models import EvaluationJob

HIGHEST_GRADE = 100
SHOWN_FIRST = 4
"""Runs that are measured before anything was chosen."""


class Judged(NamedTuple):
    """Judgments that a person may choose.

    loaded: those of files.
    studies: those whose grades are judgments.
    """

    loaded: Sequence[Qrels]
    studies: Sequence[Study]


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

    rule = forms.ChoiceField(
        label="Grades of a study",
        required=False,
        choices=[(name, SAID[name]) for name in RULES],
        help_text="How the grades of several readers become one.",
    )

    def __init__(
        self, given: QueryDict, corpus: Corpus, topics: TopicSet, judged: Judged, runs: Sequence[Run]
    ) -> None:
        super().__init__(given if "qrels" in given else {**given.dict(), **_first(judged, runs)})
        self._corpus, self._topics = corpus, topics
        self._studies = {f"{PREFIX}{study.slug}": study for study in judged.studies}
        names = [(run.name, run.name) for run in runs]
        of_studies = [(name, f"Study: {study.title}") for name, study in self._studies.items()]
        self._choices("qrels", [*((each.name, each.name) for each in judged.loaded), *of_studies])
        self._choices("run", names)
        self._choices("base", [("", "No run"), *names])
        self._choices("facet", [("", "No facet"), *((name, name) for name in facet_names(topics))])

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

    def begin(self, by: User) -> EvaluationJob | None:
        """Return the job that measures what was chosen; None where that is refused and the form says why."""
        return self.attempt(lambda: computing.submit(self.asked(), by=by))

    def asked(self) -> Asked:
        """Return what was chosen by a form that is valid. Raises `BadField` for a measure that is none."""
        said = dict(self.cleaned_data)
        said["blocks"] = blocks_of(said.pop("measures"))
        qrels, rule = said.pop("qrels"), said.pop("rule") or "median"
        study = self._studies.get(qrels)
        runs = tuple(said.pop("run"))
        return Asked(self._corpus, self._topics, qrels, runs, study=study, rule=rule, **said)

    def clean(self) -> dict[str, Any]:
        """Refuse to compare with a run that is not among those that are measured."""
        cleaned = super().clean() or self.cleaned_data
        base, runs = cleaned.get("base"), cleaned.get("run") or []
        if base and runs and base not in runs:
            self.add_error("base", f"{base} is not among the runs chosen above; choose it there as well.")
        return cleaned


def _first(judged: Judged, runs: Sequence[Run]) -> dict[str, Any]:
    """Return what is shown before anything was chosen: the first judgments and runs, without comparison."""
    names = [*(each.name for each in judged.loaded), *(f"{PREFIX}{each.slug}" for each in judged.studies)]
    return {"qrels": names[0], "run": [run.name for run in runs[:SHOWN_FIRST]]}
