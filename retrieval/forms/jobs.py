"""What is computed from the texts: the excerpts of a source, the candidates of a book."""

from __future__ import annotations

from secrets import randbelow
from typing import TYPE_CHECKING, Any

from django import forms

from common.errors import BadInput
from retrieval.candidates import pooling, sizes, submitting
from retrieval.candidates.parameters import BANDS, DEFAULTS, LONGEST_RUN, MOST_MATCHED, RANGES
from retrieval.engine.ranking import rankers
from retrieval.engine.ranking.matching import BAND
from retrieval.engine.ranking.negatives import Rules
from retrieval.forms.acting import ActingForm
from retrieval.forms.parameters import parameter_field
from retrieval.loading import jobs as loading_jobs
from retrieval.loading import many
from retrieval.models import Book, CandidateJob, LoadingJob, Source
from retrieval.models.texts import HEAVY
from retrieval.words import offered

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from retrieval.engine.ranking.rankers import Ranker


SEEDS = 1_000_000
"""Seeds are drawn below it: short enough to be copied by hand."""
RULES = {
    "overlap": "shares a sentence with the right passage",
    "no_words": "has no words, as a line of asterisks",
    "gold_words": "reads like the right passage: books repeat sentences",
    "context_words": "is quoted in the critic’s context",
    "near_duplicate": "repeats a wrong passage already chosen",
}
"""The rules that can be switched off, as staff read them; ``gold`` cannot."""


MATCHED = {
    "length": "length: by it the right one is in no place more often than in another",
    "case": "first letter: all begin with a capital, or none",
    "mark": "opening mark: all open with a quotation mark, or none",
    "dialogue": "speech or narration: all are within quotation marks, or none",
    "ending": "ending: all end as a sentence does, or none",
    "context": "words of the context: by how many it has, the right one is in no place more often than in "
    "another",
    "reuse": "use: no wrong one stands in another item",
    "balance": "balance: over all items the right one lies as far above as below the mean of its item in "
    "length, punctuation and words of the context",
}
"""In what negatives look like the right passage, as staff read it."""


class FindExcerptsForm(ActingForm):
    """The book whose quotations are looked for in a source."""

    blamed = "book"

    book = forms.ModelChoiceField(
        label="Book",
        queryset=Book.objects.defer(*HEAVY),
        to_field_name="slug",
        empty_label="Choose a book",
        help_text="The book whose quotations are looked for. Looking again adds nothing twice.",
    )

    def __init__(self, *args: Any, source: Source, **options: Any) -> None:
        super().__init__(*args, **options)
        self.source = source

    def save(self, by: User) -> LoadingJob | None:
        """Submit the search, or return the one that has not ended.

        None where it was refused and the form says why.
        """
        book = self.cleaned_data["book"]
        return self.attempt(lambda: loading_jobs.submit_search(book, self.source, by=by))


class FindManyForm(ActingForm):
    """The sources and the books whose pairs are searched in one job."""

    all_sources = forms.BooleanField(label="All sources", required=False)
    sources = forms.ModelMultipleChoiceField(
        label="Sources",
        queryset=Source.objects.exclude(text="").defer("text", "notes"),
        to_field_name="slug",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    all_books = forms.BooleanField(label="All books", required=False)
    books = forms.ModelMultipleChoiceField(
        label="Books",
        queryset=Book.objects.defer(*HEAVY),
        to_field_name="slug",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    again = forms.BooleanField(
        label="Search again what this version has searched",
        required=False,
        help_text="Otherwise such pairs are left out: the same search finds the same.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in ("sources", "books"):
            if name not in self.errors and not cleaned.get(f"all_{name}") and not cleaned.get(name):
                self.add_error(name, f"Tick at least one of the {name}, or all of them.")
        return cleaned

    def save(self, by: User) -> tuple[LoadingJob, list[str]] | None:
        """Submit the job; return it with what was left out, in sentences. None where it was refused."""
        sources, books = (self._chosen(name) for name in ("sources", "books"))

        def submit() -> tuple[LoadingJob, list[str]]:
            found = many.pairs(sources, books, again=self.cleaned_data["again"])
            return loading_jobs.submit_searches(found, by=by), many.left_out(found)

        return self.attempt(submit)

    def _chosen(self, name: str) -> list[Any]:
        field = self.fields[name]
        assert isinstance(field, forms.ModelMultipleChoiceField)  # noqa: S101
        rows = field.queryset if self.cleaned_data[f"all_{name}"] else self.cleaned_data[name]
        return list(rows or ())


class GenerateForm(ActingForm):
    """A candidate job, with the parameters of every ranker; those of the chosen one count."""

    ranker = forms.ChoiceField(label="Ranker", help_text="What puts the passages in order.")
    negatives = forms.IntegerField(
        label="Negatives",
        help_text=f"Wrong passages for each excerpt; at most {MOST_MATCHED} that look like the right one in "
        "length or words of the context.",
    )
    size = forms.CharField(
        label="Size",
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"list": "sizes", "autocomplete": "off"}),
        help_text="Only excerpts whose passage has so many sentences: 3, or 2-4. "
        f"{sizes.RELIC} is RELiC’s. Empty: all of them.",
    )
    left = forms.IntegerField(label="Left", help_text="Sentences before the quotation that make the query.")
    right = forms.IntegerField(label="Right", help_text="Sentences after it.")
    rules = forms.MultipleChoiceField(
        label="A passage is passed over when it",
        required=False,
        choices=list(RULES.items()),
        initial=[name for name in RULES if getattr(Rules(), name)],
        widget=forms.CheckboxSelectMultiple,
    )
    run = forms.IntegerField(
        label="Words in a row",
        required=False,
        min_value=1,
        max_value=LONGEST_RUN,
        initial=Rules().run,
        help_text="So many words of a passage in a row, found in the context, count as quoted there. "
        f"Empty: {Rules().run}.",
    )
    matching = forms.MultipleChoiceField(
        label="Wrong passages look like the right one in",
        required=False,
        choices=list(MATCHED.items()),
        initial=list(MATCHED),
        widget=forms.CheckboxSelectMultiple,
    )
    band = forms.FloatField(
        label="Band of length",
        required=False,
        min_value=BANDS[0],
        max_value=BANDS[1],
        initial=BAND,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Each option has a band of lengths to itself, at its end so many times as long as at its "
        f"beginning. Narrower is more alike and costs more rank. Empty: {BAND:g}.",
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=0,
        max_value=submitting.LARGEST_SEED,
        initial=lambda: randbelow(SEEDS),
        help_text="Whatever the job draws is drawn from it: the right ones’ places, the order of pools. The "
        "same seed draws the same. Empty: one is drawn.",
    )
    pool = forms.IntegerField(
        label="Pool",
        required=False,
        min_value=pooling.SMALLEST,
        max_value=pooling.LARGEST,
        help_text=f"So many passages for each excerpt, {pooling.SMALLEST} to {pooling.LARGEST}, with the "
        "right one among them. Empty: only the negatives are kept.",
    )
    fuse = forms.CharField(
        label="Fuse with",
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="Other rankings for the pool, one a line, as in: bm25 k1=1.2 b=0.75",
    )
    method = forms.ChoiceField(
        label="Fused",
        choices=[("rrf", "by reciprocal ranks"), ("alternating", "by turns")],
        initial="rrf",
        required=False,
        help_text="How several rankings become one.",
    )

    def __init__(self, *args: Any, book: Book, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book = book
        ranker = self.fields["ranker"]
        if isinstance(ranker, forms.ChoiceField):
            ranker.choices = [(each.slug, each.label) for each in rankers.all()]
        for name, (lowest, highest) in RANGES.items():
            self.fields[name] = _between(self.fields[name], lowest, highest)
            self.fields[name].initial = DEFAULTS[name]
        self.lengths = [sizes.RELIC, *(str(n) for n in range(1, 6))]
        kept = offered.kept()
        self.fields |= {
            _own(each, name): parameter_field(each.parameters[name], f"{name} of {each.label}", kept)
            for each in rankers.all()
            for name in each.parameters
        }

    def own(self) -> list[forms.BoundField]:
        """Return the fields of the rankers' own parameters."""
        return [self[_own(each, name)] for each in rankers.all() for name in each.parameters]

    def clean_size(self) -> sizes.Sizes:
        try:
            return sizes.checked(self.cleaned_data["size"])
        except BadInput as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("fuse") and cleaned.get("pool") is None and "pool" not in self.errors:
            self.add_error("pool", "Rankings are fused for a pool only: give its size, or leave them out.")
        return cleaned

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the job.

        Raises:
            BadInput: a ranking to fuse cannot be read.
        """
        cleaned = self.cleaned_data
        asked = {name: cleaned[name] for name in DEFAULTS}
        asked["rules"] = {name: name in cleaned["rules"] for name in RULES}
        if cleaned["run"] is not None:
            asked["rules"]["run"] = cleaned["run"]
        if cleaned["pool"] is None:
            asked["matching"] = {name: name in cleaned["matching"] for name in MATCHED}
            asked["matching"]["band"] = cleaned["band"] or BAND
        else:
            lines = [line for line in cleaned["fuse"].splitlines() if line.strip()]
            others = [pooling.parse_ranking(line) for line in lines]
            asked["pool"] = {"size": cleaned["pool"], "method": cleaned["method"] or "rrf", "with": others}
        ranker = rankers.get(cleaned["ranker"])
        own = {name: cleaned[_own(ranker, name)] for name in ranker.parameters}
        return asked | {name: value for name, value in own.items() if value not in (None, "")}

    def given_or_drawn(self) -> int:
        """Return the seed that was given, or one that is drawn."""
        given: int | None = self.cleaned_data["seed"]
        return randbelow(SEEDS) if given is None else given

    def save(self, by: User) -> CandidateJob | None:
        """Launch the job; None where it was refused and the form says why."""
        ranker = self.cleaned_data["ranker"]
        return self.attempt(
            lambda: submitting.submit(
                self.book, ranker=ranker, parameters=self.parameters(), by=by, seed=self.given_or_drawn()
            )
        )


def _between(field: forms.Field, lowest: int, highest: int) -> forms.IntegerField:
    """The same field with the bounds of the job's own rule, so that the two cannot part."""
    return forms.IntegerField(
        label=field.label,
        help_text=field.help_text,
        required=field.required,
        min_value=lowest,
        max_value=highest,
    )


def _own(ranker: Ranker, name: str) -> str:
    """The field of a ranker's own parameter."""
    return f"{ranker.slug}-{name}"
