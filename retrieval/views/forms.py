"""What the pages add to the forms: text that is pasted, a preview, a ranker's own parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from retrieval import loading, preview
from retrieval.engine import rankers
from retrieval.forms import (
    FindExcerptsForm,
    GenerateForm,
    ImportBookForm,
    ImportRelicForm,
    ImportSourceForm,
    UploadForm,
)
from retrieval.models import Book, Source

__all__ = ["BookForm", "FindExcerptsForm", "ImportRelicForm", "JobForm", "SourceForm"]

PASTED = "The pasted text"


class PastedForm(UploadForm):
    """A text comes as a file or from the clipboard, not as both."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["file"].required = False
        self.fields["pasted"] = forms.CharField(
            label="Or the text itself",
            required=False,
            strip=False,
            widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
            help_text="Pasted, up to 4 MB. Leave it empty when you choose a file.",
        )
        self.order_fields(["file", "pasted"])

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
        if not self.cleaned_data["file"]:
            return self.cleaned_data["pasted"].encode(), PASTED
        file = self.cleaned_data["file"]
        file.seek(0)
        return file.read(), file.name

    def facts(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name not in {"file", "pasted"}}


class BookForm(PastedForm, ImportBookForm):
    def save(self) -> loading.ImportedBook | None:
        """Import the book; None where it was refused and the form says why."""
        data, name = self.upload()
        return self.attempt(lambda: loading.import_book(data, name=name, **self.facts()))

    def preview(self) -> preview.BookPreview | None:
        """What `save` would store; None where it would refuse and the form says why."""
        data, name = self.upload()
        return self.attempt(lambda: preview.of_book(Book(**self.facts()), data, name))


class SourceForm(PastedForm, ImportSourceForm):
    def save(self) -> loading.ImportedSource | None:
        """Import the source; None where it was refused and the form says why."""
        data, name = self.upload()
        return self.attempt(lambda: loading.import_source(data, name=name, **self.facts()))

    def preview(self) -> preview.SourcePreview | None:
        """What `save` would store; None where it would refuse and the form says why."""
        data, name = self.upload()
        return self.attempt(lambda: preview.of_source(Source(**self.facts()), data, name))


class JobForm(GenerateForm):
    """A job with the parameters of every ranker; those of the chosen one count."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for ranker in rankers.all():
            for name, parameter in ranker.parameters.items():
                self.fields[f"{ranker.slug}-{name}"] = forms.FloatField(
                    label=f"{name} of {ranker.label}",
                    required=False,
                    min_value=parameter.lowest,
                    max_value=parameter.highest,
                    initial=parameter.default,
                    help_text=f"From {parameter.lowest:g} to {parameter.highest:g}. "
                    f"Empty: {parameter.default:g}.",
                    widget=forms.NumberInput(attrs={"step": "any"}),
                )

    def own(self) -> list[forms.BoundField]:
        """The fields that are a ranker's own."""
        return [self[name] for name in self.fields if "-" in name]

    def parameters(self) -> dict[str, Any]:
        slug = self.cleaned_data["ranker"]
        own = {name: self.cleaned_data[f"{slug}-{name}"] for name in rankers.get(slug).parameters}
        return {**super().parameters(), **{name: value for name, value in own.items() if value is not None}}
