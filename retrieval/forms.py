"""The staff forms: what the loading commands and `generate` take, with each refusal beside its field."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from retrieval import jobs, loading, pooling
from retrieval.engine import rankers
from retrieval.engine.errors import BadInput
from retrieval.models import Book, CandidateJob, Source
from retrieval.parameters import DEFAULTS, RANGES

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LARGEST_UPLOAD = 30 * 2**20
"""Bytes; the longest English novels are about a tenth of it."""

Result = TypeVar("Result")

_LANGUAGE = (
    "A tag such as en, fr or pt-BR. Quotations are found only where book and source are in one language."
)
_SLUG = "Its name in addresses and commands: letters a to z, digits, - and _. It cannot be changed later."


class TextFile(forms.FileField):
    """An uploaded text of at most `LARGEST_UPLOAD` bytes; what is in it, the import judges."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_empty_file=True, **options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        upload = super().clean(data, initial)
        if isinstance(upload, UploadedFile) and upload.size and upload.size > LARGEST_UPLOAD:
            raise forms.ValidationError(
                f"{upload.name} has {filesizeformat(upload.size)}; a file of at most "
                f"{filesizeformat(LARGEST_UPLOAD)} was expected. The command line takes larger ones."
            )
        return upload


class ActingForm(forms.Form):
    """A form that does one thing. A refusal is a sentence beside the field it is about."""

    blamed: str | None = None
    """The field a refusal stands beside where it does not say; None: above the form."""

    def attempt(self, action: Callable[[], Result]) -> Result | None:
        """What `action` returns, or None where it refused."""
        try:
            return action()
        except BadInput as error:
            field = getattr(error, "field", None)
            self.add_error(field if field in self.fields else self.blamed, str(error))
            return None


class UploadForm(ActingForm):
    blamed = "file"

    def upload(self) -> tuple[bytes, str]:
        """The file's bytes and the name errors call it by."""
        file = self.cleaned_data["file"]
        return file.read(), file.name


class ImportBookForm(UploadForm):
    file = TextFile(
        label="Text file",
        help_text="Plain text in UTF-8. A Project Gutenberg header and footer are removed.",
    )
    slug = forms.SlugField(label="Slug", max_length=80, help_text=_SLUG)
    title = forms.CharField(label="Title", max_length=300, help_text="As readers of the studies will see it.")
    author = forms.CharField(label="Author", max_length=200)
    year = forms.IntegerField(
        label="Year", min_value=0, max_value=3000, help_text="Of the first publication."
    )
    language = forms.CharField(label="Language", max_length=35, initial="en", help_text=_LANGUAGE)
    licence = forms.CharField(
        label="Licence", max_length=200, required=False, help_text="Under which the text may be used."
    )

    def save(self) -> loading.ImportedBook | None:
        """Import the book; None where it was refused and the form says why."""
        data, name = self.upload()
        facts = {field: self.cleaned_data[field] for field in self.fields if field != "file"}
        return self.attempt(lambda: loading.import_book(data, name=name, **facts))


class ImportSourceForm(UploadForm):
    file = TextFile(label="Text file", help_text="Plain text in UTF-8: the critic's book or article.")
    slug = forms.SlugField(label="Slug", max_length=80, help_text=_SLUG)
    citation = forms.CharField(
        label="Citation", max_length=300, help_text="As in a footnote, for example Helm 1909."
    )
    language = forms.CharField(label="Language", max_length=35, initial="en", help_text=_LANGUAGE)

    def save(self) -> loading.ImportedSource | None:
        """Import the source; None where it was refused and the form says why."""
        data, name = self.upload()
        facts = {field: self.cleaned_data[field] for field in self.fields if field != "file"}
        return self.attempt(lambda: loading.import_source(data, name=name, **facts))


class ImportRelicForm(UploadForm):
    file = TextFile(
        label="RELiC file",
        help_text="JSON in RELiC's published format. All of its books are imported, or none.",
    )
    author = forms.CharField(
        label="Author", max_length=200, required=False, help_text="Of every book in the file: it names none."
    )

    def save(self) -> list[loading.ImportedRelic] | None:
        """Import the file; None where it was refused and the form says why."""
        data, name = self.upload()
        author = self.cleaned_data["author"]
        return self.attempt(lambda: loading.import_relic(data, name=name, author=author))


class FindExcerptsForm(ActingForm):
    blamed = "book"

    book = forms.ModelChoiceField(
        label="Book",
        queryset=Book.objects.defer("text", "sentences", "headings", "left_out"),
        to_field_name="slug",
        empty_label="Choose a book",
        help_text="The book whose quotations are looked for. Looking again adds nothing twice.",
    )

    def __init__(self, *args: Any, source: Source, **options: Any) -> None:
        super().__init__(*args, **options)
        self.source = source

    def save(self) -> loading.Found | None:
        """Find the excerpts; None where it was refused and the form says why."""
        book = self.cleaned_data["book"]
        return self.attempt(lambda: loading.find_excerpts(book, self.source))


class GenerateForm(ActingForm):
    ranker = forms.ChoiceField(label="Ranker", help_text="What puts the passages in order.")
    negatives = forms.IntegerField(label="Negatives", help_text="Wrong passages for each excerpt.")
    size = forms.IntegerField(
        label="Size",
        required=False,
        help_text="Only excerpts whose passage has so many sentences. Empty: all of them.",
    )
    left = forms.IntegerField(label="Left", help_text="Sentences before the quotation that make the query.")
    right = forms.IntegerField(label="Right", help_text="Sentences after it.")
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

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("fuse") and cleaned.get("pool") is None and "pool" not in self.errors:
            self.add_error("pool", "Rankings are fused for a pool only: give its size, or leave them out.")
        return cleaned

    def parameters(self) -> dict[str, Any]:
        """What the job is asked for.

        Raises:
            BadInput: a ranking to fuse cannot be read.
        """
        cleaned = self.cleaned_data
        asked = {name: cleaned[name] for name in RANGES}
        if cleaned["pool"] is not None:
            lines = [line for line in cleaned["fuse"].splitlines() if line.strip()]
            others = [pooling.parsed(line) for line in lines]
            asked["pool"] = {"size": cleaned["pool"], "method": cleaned["method"] or "rrf", "with": others}
        return asked

    def save(self, by: User) -> CandidateJob | None:
        """Launch the job; None where it was refused and the form says why."""
        ranker = self.cleaned_data["ranker"]
        return self.attempt(
            lambda: jobs.submit(self.book, ranker=ranker, parameters=self.parameters(), by=by)
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
