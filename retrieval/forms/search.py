"""A claim, and how passages are ranked by it."""

from __future__ import annotations

from typing import Any

from django import forms

from retrieval.engine import rankers
from retrieval.forms.acting import ActingForm
from retrieval.models import Book
from retrieval.search import SIZES, Hit, search

SHOWN = 20
"""Passages on the page."""
LONGEST_CLAIM = 1500
"""Characters: the claim stands in the address, which servers cut off at about 4,000 bytes."""


class SearchForm(ActingForm):
    blamed = "claim"

    claim = forms.CharField(
        label="Claim",
        max_length=LONGEST_CLAIM,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What the passages should be evidence for, in words the book itself could use.",
        error_messages={"required": "Write what the passages should be evidence for."},
    )
    size = forms.IntegerField(
        label="Sentences",
        min_value=SIZES[0],
        max_value=SIZES[1],
        initial=1,
        help_text=f"In each passage, {SIZES[0]} to {SIZES[1]}.",
    )
    ranker = forms.ChoiceField(label="Ranker")

    def __init__(self, *args: Any, book: Book, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book = book
        ranker = self.fields["ranker"]
        if isinstance(ranker, forms.ChoiceField):
            ranker.choices = [(each.slug, each.label) for each in rankers.all() if each.queue == "cpu"]

    def hits(self) -> list[Hit] | None:
        """The passages, best first; None where the claim was refused and the form says why."""
        asked = {name: self.cleaned_data[name] for name in ("ranker", "size")}
        return self.attempt(lambda: search(self.book, self.cleaned_data["claim"], k=SHOWN, **asked))
