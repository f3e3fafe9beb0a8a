"""Runs that the three tables lack, launched as searches: one a run, all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.db import transaction

from common.errors import BadInput
from evaluation.allusion import missing
from evaluation.allusion.missing import Asked, Missing
from evaluation.allusion.systems import EVERY, LEMMAS, TITLE, TOKENS, WORDS
from retrieval.corpora.models import Corpus, SearchJob, TopicSet
from retrieval.corpora.searching import filters, jobs
from retrieval.corpora.searching.plans import DEEPEST
from retrieval.forms.acting import ActingForm
from retrieval.models.jobs import ENDED
from retrieval.words import offered

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import QueryDict

TABLES = {
    "vectors": ("vectors", "Word vectors"),
    "vectors_of_lemmas": ("vectors", "Word vectors of lemmas"),
    "lemmas": ("lemmas", "Lemma table"),
    "synonyms": ("synonyms", "Synonym table"),
    "stop_list": ("stop-list", "Stop list"),
}
"""Fields that name what is kept of words: of which kind each is, and its label."""


def _ticks(label: str, help_text: str = "") -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label, required=False, widget=forms.CheckboxSelectMultiple, help_text=help_text
    )


class RunsForm(ActingForm):
    """Which runs are wanted, bound to the address: what the command `allusion_runs` takes."""

    genres = _ticks("Search only", "None ticked: all documents.")
    wording = _ticks("Wording of the queries", "None ticked: manual, source and every window.")
    system = _ticks("Systems", "None ticked: all.")
    words = _ticks("Compared by", "None ticked: both.")
    depth = forms.IntegerField(label="Documents a topic", min_value=1, max_value=DEEPEST)

    def __init__(self, given: QueryDict, corpus: Corpus, topics: TopicSet) -> None:
        given = given.copy()
        given.setdefault("depth", str(missing.DEPTH))
        super().__init__(given)
        self._corpus, self._topics = corpus, topics
        ticks = {
            "genres": [(name, name) for name in filters.genres_of(corpus) if name],
            "wording": [(name, name) for name in (*topics.wordings, TITLE)],
            "system": [(each.key, each.label) for each in EVERY],
            "words": [(each, each) for each in WORDS],
        }
        for name, choices in ticks.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        if not ticks["genres"]:
            del self.fields["genres"]
        kept = offered.kept()
        for name, (kind, label) in TABLES.items():
            if kept[kind]:
                none = "None" if name == "stop_list" else "The only one, or none"
                choices = [("", none), *((slug, slug) for slug in kept[kind])]
                self.fields[name] = forms.ChoiceField(label=label, choices=choices, required=False)

    @property
    def lacking(self) -> Missing | None:
        """Return what is to be made; None where the choice is refused and the form says why."""
        return self.attempt(self._missing) if self.is_valid() else None

    def launch(self, by: User) -> list[SearchJob] | None:
        """Launch a search for every run that is missing; None where that is refused and the form says why."""
        return self.attempt(lambda: self._launch(by)) if self.is_valid() else None

    @transaction.atomic
    def _launch(self, by: User) -> list[SearchJob]:
        wanted = self._missing().wanted
        if not wanted:
            raise BadInput("Nothing is missing that could be made: no search was launched.")
        return [jobs.submit(self._corpus, self._topics, each.name, each.plan, by=by) for each in wanted]

    def _missing(self) -> Missing:
        launched = SearchJob.objects.filter(corpus=self._corpus).exclude(status__in=ENDED)
        return missing.missing(self._asked(), list(launched))

    def _asked(self) -> Asked:
        said = self.cleaned_data
        vectors = said.get("vectors") or ""
        return Asked(
            self._corpus,
            self._topics,
            said["system"],
            tuple(said["words"]) or WORDS,
            said["wording"],
            {name: said.get(name) or "" for name in ("lemmas", "synonyms", "stop_list")},
            {TOKENS: vectors, LEMMAS: said.get("vectors_of_lemmas") or vectors},
            said.get("genres") or (),
            said["depth"],
        )
