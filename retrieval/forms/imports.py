"""A book, a source, or RELiC's file: uploaded or pasted, looked at in a preview, imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from common.progress import Compute
from retrieval import loading
from retrieval.engine.formats import encodings
from retrieval.forms.acting import ActingForm, Result
from retrieval.loading import jobs, preview
from retrieval.loading.books import LEAST_WORDS
from retrieval.loading.plain import computing
from retrieval.models import Book, LoadingJob, LoadingTask, Source

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LARGEST_UPLOAD = 30 * 2**20
"""Bytes; the longest English novels are about a tenth of it."""
AT_ONCE = 2 * 2**20
"""Bytes: a book of so many takes half a second (docs/loading.md); what is larger, a worker reads in a job."""
PASTED = "The pasted text"

_LANGUAGE = (
    "A tag such as en, fr or pt-BR. Quotations are found only where book and source are in one language."
)
_READ = "Plain text, HTML, EPUB, RTF, DOCX or TEI."
_SLUG = "Its name in addresses and commands: letters a to z, digits, - and _. It cannot be changed later."


class TextFile(forms.FileField):
    """An uploaded text of at most `LARGEST_UPLOAD` bytes. The import checks what is in it."""

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


class UploadForm(ActingForm):
    """A file to import, with the facts about it."""

    blamed = "file"
    work: ClassVar[LoadingTask]
    """The job that imports a large one."""
    at_once = AT_ONCE

    def upload(self) -> tuple[bytes, str]:
        """Return the file's bytes, and the name that errors call it by."""
        file = self.cleaned_data["file"]
        file.seek(0)
        return file.read(), file.name

    def facts(self) -> dict[str, Any]:
        """Return what is said about the text: all fields but the text itself and how it is read."""
        others = {"file", "pasted", "encoding", "notes", "short"}
        return {name: value for name, value in self.cleaned_data.items() if name not in others}

    def options(self) -> dict[str, Any]:
        """Return how the file is to be read."""
        return {}

    @property
    def large(self) -> bool:
        """Whether it is more than a request should read."""
        file = self.cleaned_data["file"]
        return (file.size if file else len(self.cleaned_data["pasted"].encode())) > AT_ONCE

    def submit(self, by: User) -> LoadingJob | None:
        """Submit a job that imports it; None where it was refused and the form says why."""
        data, name = self.upload()
        return self.attempt(
            lambda: jobs.submit_import(self.work, data, name, self.facts(), options=self.options(), by=by)
        )


class TextForm(UploadForm):
    """A text and what is known of it. The text is a file or pasted, not both."""

    file = TextFile(label="File", required=False)
    pasted = forms.CharField(
        label="Or the text itself",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text="Pasted, up to 4 MB. Leave it empty when you choose a file.",
    )
    encoding = forms.ChoiceField(
        label="Encoding of the file",
        required=False,
        choices=[("", "Unicode, or as the file says"), *encodings.CHOICES[1:]],
        help_text="Of old plain-text files. The preview shows the lines by which to judge it.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file, pasted = cleaned.get("file"), (cleaned.get("pasted") or "").strip()
        if "file" in self.errors or bool(file) != bool(pasted):
            return cleaned
        self.add_error(
            "file",
            "A file is chosen and a text is pasted; only one of them can be imported."
            if file
            else "Choose a file, or paste the text.",
        )
        return cleaned

    def upload(self) -> tuple[bytes, str]:
        """Return the bytes of the file or of the pasted text, and a name for errors."""
        if self.cleaned_data["file"]:
            return super().upload()
        return self.cleaned_data["pasted"].encode(), PASTED

    def options(self) -> dict[str, Any]:
        """What is pasted has come as Unicode, whatever the file beside it would be in."""
        return {"encoding": self.cleaned_data["encoding"] if self.cleaned_data["file"] else ""}

    def computed(self, action: Callable[[bytes, str, Compute], Result]) -> Result | None:
        """What `action` returns for the file, in a process of its own where a library parses it; or None."""
        data, name = self.upload()

        def act() -> Result:
            with computing(data, name) as compute:
                return action(data, name, compute)

        return self.attempt(act)


class ImportBookForm(TextForm):
    """A book to import."""

    work = LoadingTask.BOOK
    file = TextFile(
        label="File",
        required=False,
        help_text=f"{_READ} A Project Gutenberg header and footer are removed.",
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
    notes = forms.BooleanField(
        label="The author’s footnotes are sentences",
        required=False,
        help_text="They can be candidates then. Else they are shown in their places and set aside.",
    )
    short = forms.BooleanField(
        label="A short text",
        required=False,
        help_text=f"Lets a text of fewer than {LEAST_WORDS:,} words pass, which is no book.",
    )

    def options(self) -> dict[str, Any]:
        said = self.cleaned_data
        least = 0 if said["short"] else LEAST_WORDS
        return {**super().options(), "notes": said["notes"], "least_words": least}

    def save(self) -> loading.ImportedBook | None:
        """Import the book; None where it was refused and the form says why."""
        said = {**self.facts(), **self.options()}
        return self.computed(
            lambda data, name, compute: loading.import_book(data, name=name, compute=compute, **said)
        )

    def preview(self) -> preview.BookPreview | None:
        """Return what `save` would store; None where it would refuse and the form says why."""
        return self.computed(
            lambda data, name, compute: preview.preview_book(
                Book(**self.facts()), data, name, compute, **self.options()
            )
        )


class ImportSourceForm(TextForm):
    """A critic's text to import."""

    work = LoadingTask.SOURCE
    file = TextFile(label="File", required=False, help_text=f"{_READ} The critic’s book or article.")
    slug = forms.SlugField(label="Slug", max_length=80, help_text=_SLUG)
    citation = forms.CharField(
        label="Citation", max_length=300, help_text="As in a footnote, for example Helm 1909."
    )
    language = forms.CharField(label="Language", max_length=35, initial="en", help_text=_LANGUAGE)

    def save(self) -> loading.ImportedSource | None:
        """Import the source; None where it was refused and the form says why."""
        said = {**self.facts(), **self.options()}
        return self.computed(
            lambda data, name, compute: loading.import_source(data, name=name, compute=compute, **said)
        )

    def preview(self) -> preview.SourcePreview | None:
        """Return what `save` would store; None where it would refuse and the form says why."""
        return self.computed(
            lambda data, name, compute: preview.preview_source(
                Source(**self.facts()), data, name, compute, **self.options()
            )
        )


class ImportRelicForm(UploadForm):
    """A RELiC file to import."""

    work = LoadingTask.RELIC
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
        return self.attempt(lambda: loading.import_relic(data, name=name, **self.facts()))
