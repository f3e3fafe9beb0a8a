"""Forms of what staff decide: a reason, borders, an exclusion, a quotation taken, a book's parts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms

from retrieval.curating import bulk, corrections, covering, excerpts, exclusions, taking
from retrieval.engine.text.corrections import LEFT_OUT
from retrieval.engine.text.layout import HEADING, PROSE, Part
from retrieval.engine.text.passages import Passage
from retrieval.forms.acting import ActingForm
from retrieval.models import Act, Book, Excerpt, Excerpts, Source
from retrieval.models.curation import LONGEST_REASON
from retrieval.texts import source_places

if TYPE_CHECKING:
    from django.contrib.auth.models import User

_DIGITS = 18  # of the longest key that every database can hold
SORTS = [(PROSE, "text"), (HEADING, "heading"), (LEFT_OUT, "set aside")]


def _reason(help_text: str) -> forms.CharField:
    return forms.CharField(label="Reason", max_length=LONGEST_REASON, help_text=help_text)


def _place() -> dict[str, forms.Field]:
    return {
        "first": forms.IntegerField(
            label="First sentence", min_value=1, help_text="Its number in the book, from 1."
        ),
        "size": forms.IntegerField(
            label="Sentences", min_value=1, max_value=excerpts.LONGEST_PASSAGE, help_text="How many."
        ),
    }


class ReasonForm(ActingForm):
    """A reason, for what needs nothing else."""

    reason = _reason("Kept in the history, with your name.")


class ManyForm(ActingForm):
    """Which excerpts of a list, what becomes of them, and why."""

    TICKED, SHOWN, ALL = "ticked", "shown", "all"
    REJECT, RESTORE, DELETE = "reject", "restore", "delete"

    which = forms.ChoiceField(
        choices=[(TICKED, "those ticked"), (SHOWN, "all on this page"), (ALL, "all of this list")]
    )
    act = forms.ChoiceField(
        choices=[(REJECT, "Reject"), (RESTORE, "Use again"), (DELETE, "Delete")],
        error_messages={"required": "Say what is to be done: press one of the buttons."},
    )
    ticked = forms.TypedMultipleChoiceField(coerce=int, required=False)
    shown = forms.TypedMultipleChoiceField(coerce=int, required=False)
    reason = _reason("One for all of them; kept in the history of each, with your name.")

    def __init__(self, *args: Any, rows: Excerpts, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rows = rows
        for name in (self.TICKED, self.SHOWN):
            self.fields[name].valid_value = _is_key  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("which") == self.TICKED and not cleaned.get("ticked") and "ticked" not in self.errors:
            self.add_error(
                None, "No excerpt is ticked; tick some, or choose all on this page or of this list."
            )
        return cleaned

    def chosen(self) -> Excerpts:
        """Return the excerpts it is about, all of the list it was sent from."""
        which = self.cleaned_data["which"]
        return self.rows if which == self.ALL else self.rows.filter(pk__in=self.cleaned_data[which])

    def save(self, *, by: User, now: datetime) -> bulk.Decided | None:
        """Do it, and return what it came to; None where it was refused and the form says why."""
        said = {"reason": self.cleaned_data["reason"], "by": by, "now": now}
        act, rows = self.cleaned_data["act"], self.chosen()
        if act == self.DELETE:
            return self.attempt(lambda: bulk.delete(rows, **said))
        return self.attempt(lambda: bulk.decide(rows, _ACTS[act], **said))


_ACTS = {ManyForm.REJECT: Act.REJECTED, ManyForm.RESTORE: Act.RESTORED}


class BordersForm(ActingForm):
    """Other borders for an excerpt."""

    def __init__(self, *args: Any, excerpt: Excerpt, **options: Any) -> None:
        self.excerpt = excerpt
        there = {"left": len(excerpt.left), "right": len(excerpt.right)}
        options["initial"] = {"first": (excerpt.first or 0) + 1, "size": excerpt.size or 1, **there}
        super().__init__(*args, **options)
        self.fields |= _place()
        for side, words in (("left", "before"), ("right", "after")):
            self.fields[side] = forms.IntegerField(
                label=f"Sentences {words}",
                min_value=0,
                max_value=there[side],
                help_text=f"Of the critic’s, those nearest to the gap stay; there are {there[side]}.",
            )
        self.fields["reason"] = _reason("Kept in the history, with your name.")

    def save(self, *, by: User, now: datetime) -> Excerpt | None:
        """Return the excerpt with these borders; None where they were refused and the form says why."""
        said = dict(self.cleaned_data)
        borders = excerpts.Borders(said["first"] - 1, said["size"], said["left"], said["right"])
        return self.attempt(
            lambda: excerpts.move(self.excerpt, borders, reason=said["reason"], by=by, now=now)
        )


class CoverForm(ActingForm):
    """Words of an excerpt's context to be covered: shown first, or done."""

    words = forms.CharField(
        label="The words",
        max_length=2000,
        help_text="Copied from the context, in a row; readers see […] instead.",
    )
    reason = _reason("Kept in the history, with your name.")

    def seen(self, excerpt: Excerpt) -> list[str] | None:
        """The context as readers would get it; None where the words have no place and the form says why."""
        return self.attempt(lambda: covering.covered(excerpt, self.cleaned_data["words"]))

    def save(self, excerpt: Excerpt, *, by: User, now: datetime) -> Excerpt | None:
        """The excerpt that supersedes this one; None where that was refused and the form says why."""
        return self.attempt(lambda: covering.cover(excerpt, **self.cleaned_data, by=by, now=now))


class TakeForm(ActingForm):
    """The place in the book of a quotation that the search dropped."""

    blamed = "first"

    def __init__(self, *args: Any, book: Book, source: Source, span: tuple[int, int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.book, self.source, self.span = book, source, span
        self.fields |= _place()
        self.fields["reason"] = _reason("Why it is a quotation after all.")

    def save(self, *, by: User, now: datetime) -> Excerpt | None:
        """Store and return the excerpt; None where it was refused and the form says why."""
        said = dict(self.cleaned_data)
        place = Passage(said["first"] - 1, said["size"])
        return self.attempt(
            lambda: taking.take(
                self.book, self.source, self.span, place, reason=said["reason"], by=by, now=now
            )
        )


class ExcludeForm(ActingForm):
    """A source, or a stretch of it, that is no criticism of a book, or of any."""

    book = forms.ModelChoiceField(
        label="From which book’s excerpts",
        queryset=Book.objects.only("slug", "title"),
        to_field_name="slug",
        required=False,
        empty_label="Every book",
    )
    first = forms.CharField(
        label="From",
        max_length=20,
        required=False,
        help_text="A paragraph (12) or a sentence of it (12.3); the numbers stand beside the text. "
        "Empty: the whole source.",
    )
    last = forms.CharField(
        label="To", max_length=20, required=False, help_text="Included. Empty: only that one."
    )
    reason = _reason("For example: index; prints a cancelled chapter; another edition.")

    def __init__(self, *args: Any, source: Source, **options: Any) -> None:
        super().__init__(*args, **options)
        self.source = source

    def save(self, *, by: User, now: datetime) -> exclusions.Excluded | None:
        """Store the exclusion; None where it was refused and the form says why."""
        said = dict(self.cleaned_data)

        def act() -> exclusions.Excluded:
            ranged = said["first"] or said["last"]
            span = source_places.span(self.source.text, said["first"], said["last"]) if ranged else None
            return exclusions.exclude(
                self.source, book=said["book"], span=span, reason=said["reason"], by=by, now=now
            )

        return self.attempt(act)


class PartsForm(ActingForm):
    """A select for each paragraph shown, and one more paragraph, named by one of its sentences."""

    def __init__(self, *args: Any, book: Book, shown: Sequence[Part], **options: Any) -> None:
        super().__init__(*args, **options)
        self.book, self.shown = book, shown
        for part in shown:
            self.fields[_name(part)] = forms.ChoiceField(
                choices=SORTS, initial=_sort(part), required=False, label=f"Character {part.start}"
            )
        self.fields["sentence"] = forms.IntegerField(
            label="The paragraph of sentence", required=False, min_value=1, max_value=book.n_sentences or 1
        )
        self.fields["becomes"] = forms.ChoiceField(
            label="Is", required=False, choices=[("", "Choose"), *SORTS[1:]]
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if bool(cleaned.get("sentence")) != bool(cleaned.get("becomes")) and "sentence" not in self.errors:
            missing = "becomes" if cleaned.get("sentence") else "sentence"
            self.add_error(missing, "Give the sentence and what its paragraph is, or neither.")
        return cleaned

    def rows(self) -> list[tuple[Part, forms.BoundField]]:
        """Return the paragraphs with their fields."""
        return [(part, self[_name(part)]) for part in self.shown]

    def save(self) -> corrections.Corrected | None:
        """Segment the book again; None where that was refused and the form says why."""
        said = {part.start: self.cleaned_data[_name(part)] or _sort(part) for part in self.shown}
        changes = {part.start: said[part.start] for part in self.shown if said[part.start] != _sort(part)}
        if self.cleaned_data["sentence"]:
            at = self.book.sentences[self.cleaned_data["sentence"] - 1][0]
            starts = [part.start for part in corrections.current_layout(self.book) if part.start <= at]
            changes[starts[-1]] = self.cleaned_data["becomes"]
        return self.attempt(lambda: corrections.correct(self.book, changes))


def _is_key(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= _DIGITS


def _name(part: Part) -> str:
    return f"kind-{part.start}"


def _sort(part: Part) -> str:
    return part.kind if part.kind in (PROSE, HEADING) else LEFT_OUT
