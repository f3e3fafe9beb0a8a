"""The form that launches a search of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from common.errors import BadField
from retrieval.corpora.models import Corpus, SearchJob, TopicSet
from retrieval.corpora.searching import filters, jobs, lemmas
from retrieval.corpora.searching.plans import (
    DEEPEST,
    FIELDS,
    OWN_PLANS,
    WORDING,
    AnyPlan,
    DensePlan,
    Feedback,
    Plan,
    SimilarityPlan,
)
from retrieval.dense import checkpoints
from retrieval.engine.corpora.stemming import STEMMERS
from retrieval.engine.corpora.tokenising import STOP_LISTS, TokenSettings
from retrieval.engine.corpora.weighting import VARIANTS, Bm25Settings
from retrieval.forms.acting import ActingForm
from retrieval.words import offered

if TYPE_CHECKING:
    from django.contrib.auth.models import User


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
        initial=list(Plan().fields),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose one part of a topic at least."},
    )
    ranker = forms.ChoiceField(label="Ranker")
    settings = forms.CharField(
        label="Settings of the ranker",
        required=False,
        max_length=500,
        help_text="Of any but BM25 and the dense encoders, with blanks between them, such as stop_list=latin "
        "power=5.",
    )
    genres = forms.MultipleChoiceField(
        label="Search only",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all documents.",
    )
    languages = forms.MultipleChoiceField(
        label="In these languages",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None ticked: all documents.",
    )
    first_year = forms.IntegerField(
        label="From year", required=False, help_text="Documents without a year are left out then."
    )
    last_year = forms.IntegerField(label="To year", required=False)
    facets = forms.CharField(
        label="Only where",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2}),
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
    stop_list = forms.ChoiceField(
        label="Stop list of BM25", choices=[(each, each) for each in sorted(STOP_LISTS)]
    )
    stemmer = forms.ChoiceField(label="Stemmer of BM25", choices=[(each, each) for each in sorted(STEMMERS)])

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        tokens = TokenSettings()
        kwargs["initial"] = {"stop_list": tokens.stop_list, "stemmer": tokens.stemmer}
        super().__init__(*args, **kwargs)
        self._corpus, self._by = corpus, by
        genres = [(name, name) for name in filters.genres_of(corpus) if name]
        for name, choices in (
            ("ranker", _rankers(corpus)),
            ("fields_of_topic", parts_of_topics()),
            ("genres", genres),
            ("feedback", genres),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101
            field.choices = choices
        for name in () if genres else ("genres", "feedback"):
            del self.fields[name]
        self.fields["ranker"].help_text = " ".join(offered.missing())
        self._narrow()

    def _narrow(self) -> None:
        """Ask for language, years and facets where the corpus has any to choose from."""
        languages, facets = filters.languages_of(self._corpus), filters.facets_of(self._corpus)
        field = self.fields["languages"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101
        field.choices = [(each, each) for each in languages]
        there = ", ".join(facets[: filters.SHOWN])
        self.fields["facets"].help_text = f"One a line, a name, = and a value. There are: {there}."
        without = [] if len(languages) > 1 else ["languages"]
        without += [] if filters.years_of(self._corpus)[0] is not None else ["first_year", "last_year"]
        for name in (*without, *([] if facets else ["facets"])):
            del self.fields[name]

    @property
    def queues(self) -> set[str]:
        """The queues that searches by the rankers on offer go to."""
        others = (choice for choice, _ in _rankers(self._corpus) if choice not in VARIANTS)
        return {"cpu", *(checkpoints.queue_for(checkpoints.parse_ranker(each)[0]) for each in others)}

    def launch(self) -> SearchJob | None:
        """Return the new job; None where it was refused and the form says why."""
        return self.attempt(self._submit)

    def _submit(self) -> SearchJob:
        asked = self.cleaned_data
        try:
            return jobs.submit(self._corpus, asked["topics"], asked["name"], self._plan(), by=self._by)
        except BadField as error:
            if error.field != "fields":
                raise
            raise BadField("fields_of_topic", str(error)) from None

    def _plan(self) -> AnyPlan:
        asked = self.cleaned_data
        common: dict[str, Any] = {
            "fields": tuple(asked["fields_of_topic"]),
            "genres": tuple(asked.get("genres") or (filters.ALL,)),
            "depth": asked["depth"],
            "languages": tuple(asked.get("languages") or ()),
            "first_year": asked.get("first_year"),
            "last_year": asked.get("last_year"),
            "facets": tuple(map(filters.facet_of, filter(str.strip, asked.get("facets", "").splitlines()))),
        }
        chosen, settings = asked["ranker"], asked["settings"].split()
        feedback = tuple(asked.get("feedback") or ())
        if feedback and chosen not in VARIANTS:
            raise BadField("feedback", "Feedback adds words; choose BM25 for it, or tick no genre here.")
        if chosen not in VARIANTS and not _is_dense(chosen):
            ranker, given = checkpoints.parse_ranker(" ".join([chosen, *settings]))
            return SimilarityPlan(**common, ranker=ranker.slug, parameters=given)
        if settings:
            raise BadField("settings", "BM25 and the dense encoders take none here; leave it empty.")
        if _is_dense(chosen):
            return DensePlan(**common, checkpoint=chosen.partition(":")[2])
        return Plan(
            **common,
            tokens=TokenSettings(stop_list=asked["stop_list"], stemmer=asked["stemmer"]),
            bm25=Bm25Settings(variant=chosen),
            feedback=Feedback((feedback,)) if feedback else None,
        )


def _is_dense(choice: str) -> bool:
    return choice.startswith(f"{DensePlan.ranker}:")


def _rankers(corpus: Corpus) -> list[tuple[str, str]]:
    """Return by what the corpus can be searched, each with a label; by its own lemmas where it has them."""
    found = [(each, f"BM25, {each}") for each in sorted(VARIANTS, key=lambda each: each != "lucene")]
    own = lemmas.are_here(corpus)
    for choice, label in offered.ranker_choices():
        ranker, given = checkpoints.parse_ranker(choice)
        if ranker.slug not in OWN_PLANS or _is_dense(choice):
            found.append((choice, label))
        if own and "words" in ranker.parameters and "words" not in given:
            found.append((f"{choice} words=lemmas", f"{label} · lemmas of the documents"))
    return found


def parts_of_topics() -> list[tuple[str, str]]:
    """Return the parts of a topic, and the names of the other wordings that some set has."""
    kept = TopicSet.objects.values_list("wordings", flat=True)
    names = sorted({name for each in kept for name in each})
    return [(each, each) for each in FIELDS] + [(f"{WORDING}{each}", f"wording {each}") for each in names]
