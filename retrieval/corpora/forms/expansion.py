"""The form that asks what feedback adds to topics."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from retrieval.corpora.models import Corpus, TopicSet
from retrieval.corpora.searching import filters
from retrieval.corpora.searching.plans import Plan
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.stemming import STEMMERS
from retrieval.engine.corpora.tokenising import STOP_LISTS, TokenSettings
from retrieval.forms.acting import ActingForm

BESIDE = 3
"""Genres that stand side by side where nobody chose."""


class ExpansionForm(ActingForm):
    """Which topics are expanded, by feedback from where, and how much of it."""

    topics = forms.ModelChoiceField(
        label="Topics", queryset=TopicSet.objects.all(), to_field_name="slug", empty_label=None
    )
    feedback = forms.MultipleChoiceField(
        label="Feedback from",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one genre at least."},
    )
    merged = forms.BooleanField(
        label="These genres as one, too",
        required=False,
        help_text="Their documents compete for the first places.",
    )
    fb_docs = forms.IntegerField(
        label="Documents", min_value=1, max_value=100, help_text="The first so many are read (fbDocs)."
    )
    fb_terms = forms.IntegerField(
        label="Terms", min_value=1, max_value=100, help_text="The heaviest so many are kept (fbTerms)."
    )
    query_weight = forms.FloatField(
        label="Weight of the topic", min_value=0, max_value=1, help_text="λ: its own words keep this share."
    )
    max_df = forms.FloatField(
        label="Largest share of documents",
        min_value=0,
        max_value=1,
        help_text="Terms that stand in more of the documents are dropped.",
    )
    stop_list = forms.ChoiceField(label="Stop list", choices=[(each, each) for each in sorted(STOP_LISTS)])
    stemmer = forms.ChoiceField(label="Stemmer", choices=[(each, each) for each in sorted(STEMMERS)])

    def __init__(self, given: QueryDict, *, corpus: Corpus) -> None:
        genres = [name for name in filters.genres_of(corpus) if name]
        sources = genres if len(genres) > 1 else [filters.ALL]
        usual, tokens = FeedbackSettings(), TokenSettings()
        self.usual: dict[str, Any] = {
            "topics": next(iter(TopicSet.objects.values_list("slug", flat=True)), ""),
            "feedback": sources[:BESIDE],
            "merged": "on",
            **{name: getattr(usual, name) for name in ("fb_docs", "fb_terms", "query_weight", "max_df")},
            **{name: getattr(tokens, name) for name in ("stop_list", "stemmer")},
        }
        super().__init__(self._whole(given))
        field = self.fields["feedback"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101
        field.choices = [(name, "All documents" if name == filters.ALL else name) for name in sources]

    def settings(self) -> FeedbackSettings:
        """Return how the models are estimated."""
        names = ("fb_docs", "fb_terms", "query_weight", "max_df")
        return FeedbackSettings(**{name: self.cleaned_data[name] for name in names})

    def plan(self) -> Plan:
        """Return the search whose words are expanded."""
        names = ("stop_list", "stemmer")
        return Plan(tokens=TokenSettings(**{name: self.cleaned_data[name] for name in names}))

    def sources(self) -> list[tuple[str, ...]]:
        """Return the lists of genres that feedback comes from, a model each."""
        chosen = self.cleaned_data["feedback"]
        merged = [tuple(chosen)] if self.cleaned_data["merged"] and len(chosen) > 1 else []
        return [*((genre,) for genre in chosen), *merged]

    def _whole(self, given: QueryDict) -> QueryDict:
        """What the address says, with the defaults for what it leaves out.

        A box that is not ticked is left out as well: boxes have their defaults only where nothing was sent.
        """
        whole = given.copy()
        sent = "fb_docs" in given
        for name, value in self.usual.items():
            if name not in whole and not (sent and name in ("feedback", "merged")):
                whole.setlist(name, value if isinstance(value, list) else [str(value)])
        return whole
