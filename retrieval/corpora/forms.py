"""The forms of corpora: a topic's wording, what feedback adds to topics, and a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.http import QueryDict

from common.errors import BadField
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, SearchJob, Topic, TopicSet, TopicVersion
from retrieval.corpora.searching import indexes, jobs
from retrieval.corpora.searching.plans import DEEPEST, FIELDS, DensePlan, Feedback, Plan
from retrieval.dense import checkpoints
from retrieval.engine.corpora.presets import FeedbackSettings
from retrieval.engine.corpora.stemming import STEMMERS
from retrieval.engine.corpora.tokenising import STOP_LISTS, TokenSettings
from retrieval.engine.corpora.weighting import VARIANTS, Bm25Settings
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class RewordForm(ActingForm):
    """New words for a topic, and why."""

    title = forms.CharField(label="Title", max_length=5_000, help_text="The query.")
    description = forms.CharField(
        label="Description", required=False, widget=forms.Textarea, help_text="The need in a sentence."
    )
    narrative = forms.CharField(
        label="Narrative", required=False, widget=forms.Textarea, help_text="What counts as relevant."
    )
    why = forms.CharField(label="Why", max_length=300, help_text="Kept with the new version, with your name.")

    def __init__(self, *args: Any, topic: Topic, by: User, newest: TopicVersion, **kwargs: Any) -> None:
        wording = {name: getattr(newest, name) for name in ("title", "description", "narrative")}
        kwargs["initial"] = wording
        super().__init__(*args, **kwargs)
        self._topic, self._by = topic, by

    def save(self) -> TopicVersion | None:
        """Return the new version; None where it was refused and the form says why."""
        # A browser ends lines as a letter does, a file as this system does.
        said = {name: value.replace("\r\n", "\n") for name, value in self.cleaned_data.items()}
        why = said.pop("why")
        return self.attempt(lambda: loading.reword(self._topic, dict(said), why, self._by))


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
        genres = [name for name in indexes.genres_of(corpus) if name]
        sources = genres if len(genres) > 1 else [indexes.ALL]
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
        field.choices = [(name, "All documents" if name == indexes.ALL else name) for name in sources]

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


class LaunchForm(ActingForm):
    """A search of a corpus, for a worker."""

    name = forms.SlugField(
        label="Name of the run", max_length=80, help_text="Letters, digits, - and _: the tag in its file."
    )
    topics = forms.ModelChoiceField(
        label="Topics", queryset=TopicSet.objects.all(), to_field_name="slug", empty_label=None
    )
    fields_of_topic = forms.MultipleChoiceField(
        label="The query is the topic’s",
        choices=[(each, each) for each in FIELDS],
        initial=list(Plan().fields),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one part of a topic at least."},
    )
    ranker = forms.ChoiceField(label="Ranker")
    genres = forms.MultipleChoiceField(
        label="Search only",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all documents.",
    )
    depth = forms.IntegerField(
        label="Documents a topic",
        min_value=1,
        max_value=DEEPEST,
        initial=1_000,
        help_text="So many are kept.",
    )
    feedback = forms.MultipleChoiceField(
        label="Feedback from",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Expands topics by RM3; several genres count as one. For BM25.",
    )
    stop_list = forms.ChoiceField(label="Stop list", choices=[(each, each) for each in sorted(STOP_LISTS)])
    stemmer = forms.ChoiceField(label="Stemmer", choices=[(each, each) for each in sorted(STEMMERS)])

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        tokens = TokenSettings()
        kwargs["initial"] = {"stop_list": tokens.stop_list, "stemmer": tokens.stemmer}
        super().__init__(*args, **kwargs)
        self._corpus, self._by = corpus, by
        genres = [(name, name) for name in indexes.genres_of(corpus) if name]
        dense = [each for each in checkpoints.ranker_choices() if each[0].startswith(f"{DensePlan.ranker}:")]
        words = [(each, f"BM25, {each}") for each in sorted(VARIANTS, key=lambda each: each != "lucene")]
        for name, choices in (("ranker", words + dense), ("genres", genres), ("feedback", genres)):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101
            field.choices = choices
        for name in () if genres else ("genres", "feedback"):
            del self.fields[name]

    def launch(self) -> SearchJob | None:
        """Return the new job; None where it was refused and the form says why."""
        asked = self.cleaned_data
        return self.attempt(
            lambda: jobs.submit(self._corpus, asked["topics"], asked["name"], self._plan(), by=self._by)
        )

    def _plan(self) -> Plan | DensePlan:
        asked = self.cleaned_data
        common: dict[str, Any] = {
            "fields": tuple(asked["fields_of_topic"]),
            "genres": tuple(asked.get("genres") or (indexes.ALL,)),
            "depth": asked["depth"],
        }
        kind, _, name = asked["ranker"].partition(":")
        feedback = tuple(asked.get("feedback") or ())
        if kind == DensePlan.ranker:
            if feedback:
                raise BadField("feedback", "Feedback adds words; choose BM25 for it, or tick no genre here.")
            return DensePlan(**common, checkpoint=name)
        return Plan(
            **common,
            tokens=TokenSettings(stop_list=asked["stop_list"], stemmer=asked["stemmer"]),
            bm25=Bm25Settings(variant=kind),
            feedback=Feedback((feedback,)) if feedback else None,
        )
