"""A claim, and how passages are ranked by it."""

from __future__ import annotations

from typing import Any

from django import forms

from retrieval.dense import encoding_jobs
from retrieval.forms.acting import ActingForm
from retrieval.models import Book, EncodingJob
from retrieval.search.evidence import SIZES, Hit, NotEncoded, NotLoaded, search
from retrieval.words import offered

SHOWN = 20
"""Passages on the page."""
LONGEST_CLAIM = 1500
"""Characters: the claim stands in the address, which servers cut off at about 4,000 bytes."""


class SearchForm(ActingForm):
    """A claim, and how passages are ranked by it."""

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
        self.waiting, self.loading = "", False
        ranker = self.fields["ranker"]
        if isinstance(ranker, forms.ChoiceField):
            kept = offered.kept()
            ranker.choices = self.names = offered.ranker_choices(kept)
            ranker.help_text = " ".join(offered.missing(kept))

    @property
    def answered(self) -> str:
        """The label of the chosen ranker, which tells a toy model from others."""
        return dict(self.names).get(self.cleaned_data.get("ranker", ""), "")

    def encoding(self) -> EncodingJob | None:
        """Return the last job that encoded these passages with this ranker, or None."""
        slug, _, name = self.cleaned_data["ranker"].partition(":")
        return encoding_jobs.latest(self.book, slug, name, self.cleaned_data["size"]) if name else None

    def hits(self) -> list[Hit] | None:
        """Return the passages, best first; None where the claim was refused and the form says why."""
        job = self.encoding()
        if job and not job.ended:
            self.waiting = "The passages are being encoded, once for all searches of this length."
            return None
        return self.attempt(self._found)

    def _found(self) -> list[Hit] | None:
        asked = {name: self.cleaned_data[name] for name in ("ranker", "size")}
        try:
            return search(self.book, self.cleaned_data["claim"], k=SHOWN, **asked)
        except (NotEncoded, NotLoaded) as error:
            self.waiting, self.loading = str(error), isinstance(error, NotLoaded)
            return None
