"""A training asked for on a page: what each book is for, and every switch with the paper's as default."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from django import forms
from django.db.models import Count, Q

from retrieval.candidates.outcome import ranker_label
from retrieval.candidates.parameters import RANGES as CONTEXT
from retrieval.dense import checkpoints
from retrieval.engine.dense import settings as dense_settings
from retrieval.engine.training import recipe
from retrieval.engine.training.recipe import Recipe
from retrieval.forms.acting import ActingForm
from retrieval.models import Book, CandidateJob, Split, Standing, Status, TrainingJob
from retrieval.models.texts import HEAVY_BOOK
from retrieval.training import plan as training_plan
from retrieval.training import wording
from retrieval.training.plan import Plan

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DERIVED = ("hard_negatives",)
"""Switches of the recipe that follow from another field."""
PAPER = asdict(Recipe())
CHOICES = {"mixing": recipe.MIXING}
MOST_JOBS = 50


class BookFields(NamedTuple):
    """A book's line of the form.

    book: its row.
    excerpts: how many it has in use.
    field: the select that says what the book is for.
    """

    book: Book
    excerpts: int
    field: forms.BoundField


class TrainForm(ActingForm):
    """A training. Each book has one select, so that none can be in two splits."""

    name = forms.SlugField(
        label="Name", max_length=50, help_text="Of the checkpoint that comes of it: letters, digits, - and _."
    )
    start = forms.ChoiceField(
        label="Begins with",
        required=False,
        help_text="Random weights know no language: what comes of them is a toy model.",
    )
    quotations = forms.BooleanField(
        label="Critics’ quotations",
        required=False,
        initial=True,
        help_text="Off: only the books’ own sentences are learned, and nothing of what critics quoted.",
    )
    cloze = forms.IntegerField(
        label="Sentences of each book",
        initial=0,
        min_value=0,
        max_value=training_plan.MOST_CLOZE,
        help_text="So many are learned in the book’s own text beside the quotations. The paper: 0.",
    )
    contexts = forms.CharField(
        label="Contexts",
        initial="4/4",
        max_length=60,
        help_text="Sentences before and after the gap, as in 4/4. Several, as in 4/4, 1/1: each excerpt is "
        "learned with each.",
    )
    negatives = forms.MultipleChoiceField(
        label="Hard negatives",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Passages that these finished jobs ranked high and wrongly join the wrong answers. "
        "The paper: none.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        quoted = Q(excerpts__standing=Standing.IN_USE, excerpts__first__isnull=False)
        light = Book.objects.only("pk", "slug", "title", "author", "n_sentences")
        self.books = list(light.annotate(quoted=Count("excerpts", filter=quoted)).order_by("title", "slug"))
        start = self.fields["start"]
        known = [(each.slug, str(each)) for each in checkpoints.all_checkpoints()]
        if isinstance(start, forms.ChoiceField):
            start.choices = [("", "random weights (a toy model)"), *known]
        done = CandidateJob.objects.filter(status=Status.DONE).select_related("book")
        negatives = self.fields["negatives"]
        if isinstance(negatives, forms.MultipleChoiceField):
            negatives.choices = [
                (str(job.pk), f"Job {job.pk}: {ranker_label(job.ranker)} on {job.book.title}")
                for job in done.defer(*HEAVY_BOOK)[:MOST_JOBS]
            ]
        self.fields |= {f"book-{book.slug}": _split(book) for book in self.books}
        self.fields |= {
            name: _recipe_field(name, value) for name, value in PAPER.items() if name not in DERIVED
        }
        self.fields |= {field.name: _settings_field(field.name) for field in fields(dense_settings.Settings)}

    def book_rows(self) -> list[BookFields]:
        """Return the books, each with the number of its excerpts and its field."""
        return [
            BookFields(book, getattr(book, "quoted", 0), self[f"book-{book.slug}"]) for book in self.books
        ]

    def often(self) -> list[forms.BoundField]:
        """Return the fields of the switches that are changed most often."""
        return [self[name] for name in ("epochs", "patience", "batch", "rate")]

    def seldom(self) -> list[forms.BoundField]:
        """Return the fields of all other switches, also of one that is added to the recipe later."""
        told = {"epochs", "patience", "batch", "rate", *DERIVED}
        names = [*PAPER, *(field.name for field in fields(dense_settings.Settings))]
        return [self[name] for name in names if name not in told]

    def clean_contexts(self) -> tuple[tuple[int, int], ...]:
        lowest, highest = CONTEXT["left"]
        found = []
        for part in self.cleaned_data["contexts"].replace(",", " ").split():
            left, _, right = part.partition("/")
            for each in (left, right):
                if not (each.isascii() and each.isdigit() and lowest <= int(each[:9]) <= highest):
                    raise forms.ValidationError(
                        f"{part!r:.20} is not L/R, such as 4/4, each from {lowest} to {highest}."
                    )
            found.append((int(left), int(right)))
        return tuple(dict.fromkeys(found))

    def seldom_wrong(self) -> bool:
        """Whether an error stands among the others, which are folded away."""
        return any(field.errors for field in self.seldom())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        names = [f"book-{book.slug}" for book in self.books]
        asked = {cleaned.get(name) for name in names}
        for split in (Split.TRAIN, Split.VALIDATE):
            if split not in asked and not any(name in self.errors for name in names):
                self.add_error(None, f"Choose at least one book to {split.label.lower()}.")
        return cleaned

    def plan(self) -> Plan:
        """Return the plan that was asked for.

        Raises:
            BadInput: a setting or a number of the recipe is not possible.
        """
        cleaned = self.cleaned_data
        given = {name: cleaned[name] for name in wording.OF_START if cleaned[name] not in (None, "")}
        settings, rates = training_plan.encoder_settings(cleaned["start"], given)
        switches = {name: cleaned[name] for name in PAPER if name not in (*DERIVED, "rate", "scale")}
        chosen = [int(pk) for pk in cleaned["negatives"]]
        return Plan(
            cleaned["name"],
            self._books(Split.TRAIN),
            self._books(Split.VALIDATE),
            self._books(Split.TEST),
            start=cleaned["start"],
            contexts=cleaned["contexts"],
            negatives=tuple(sorted(chosen)),
            cloze=cleaned["cloze"],
            quotations=cleaned["quotations"],
            settings=settings,
            recipe=Recipe(**switches, **rates, hard_negatives=bool(chosen)),
        )

    def save(self, by: User) -> TrainingJob | None:
        """Launch the training; None where it was refused and the form says why."""
        return self.attempt(lambda: training_plan.submit(self.plan(), by=by))

    def _books(self, split: Split) -> tuple[str, ...]:
        return tuple(book.slug for book in self.books if self.cleaned_data[f"book-{book.slug}"] == split)


def _split(book: Book) -> forms.ChoiceField:
    choices = [("", "not used"), *((str(value), str(label).lower()) for value, label in Split.choices)]
    return forms.ChoiceField(label=f"What {book.title} is for", required=False, choices=choices)


def _recipe_field(name: str, default: Any) -> forms.Field:
    label, words = wording.named(name)
    if isinstance(default, bool):
        return forms.BooleanField(label=label, help_text=words, required=False, initial=default)
    if name in CHOICES:
        choices = [(each, each) for each in CHOICES[name]]
        return forms.ChoiceField(label=label, help_text=words, initial=default, choices=choices)
    lowest, highest = recipe.RANGES[name]
    if isinstance(default, int):
        return forms.IntegerField(
            label=label, help_text=words, min_value=int(lowest), max_value=int(highest), initial=default
        )
    return forms.FloatField(
        label=label,
        help_text=f"{words} Empty: as the start needs it.",
        required=False,
        min_value=lowest,
        max_value=highest,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


def _settings_field(name: str) -> forms.Field:
    label, words = wording.named(name)
    if name in dense_settings.CHOICES:
        choices = [("", "(as the start has it)"), *((each, each) for each in dense_settings.CHOICES[name])]
        return forms.ChoiceField(label=label, help_text=words, required=False, choices=choices)
    if name in dense_settings.PREFIXES:
        longest = dense_settings.LONGEST_PREFIX
        return forms.CharField(label=label, help_text=words, required=False, max_length=longest, strip=False)
    lowest, highest = dense_settings.RANGES[name]
    return forms.IntegerField(
        label=label, help_text=words, required=False, min_value=lowest, max_value=highest
    )
