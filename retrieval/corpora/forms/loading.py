"""The form that loads a run, or judgments, of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from common.errors import BadField
from retrieval.corpora.forms.files import as_path
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet
from retrieval.corpora.runs import files
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User

RUN, QRELS = "run", "qrels"


class LoadForm(ActingForm):
    """A file of a corpus: all of it is loaded or nothing."""

    what = forms.ChoiceField(
        label="The file holds",
        choices=[
            (RUN, "A run: what another system ranks"),
            (QRELS, "Judgments: what somebody found relevant"),
        ],
        widget=forms.RadioSelect,
        initial=RUN,
    )
    topics = forms.ModelChoiceField(
        label="Topics", queryset=TopicSet.objects.all(), to_field_name="slug", empty_label=None
    )
    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        help_text="A run: topic Q0 document rank score tag. Judgments: topic 0 document grade, a table with "
        "a head, or JSONL.",
    )
    name = forms.SlugField(
        label="Name",
        max_length=80,
        required=False,
        help_text="Letters, digits, - and _. Empty: the tag of a run’s first line; judgments need one.",
    )
    source = forms.CharField(
        label="Source", required=False, max_length=300, help_text="Of judgments: who judged, by which rule."
    )

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._corpus, self._by = corpus, by

    def save(self) -> tuple[Run | Qrels, bool] | None:
        """Return what was loaded, and whether it is new; None where it was refused and the form says why."""
        return self.attempt(self._save)

    def _save(self) -> tuple[Run | Qrels, bool]:
        said = self.cleaned_data
        if said["what"] == RUN:
            if said["source"]:
                raise BadField("source", "A run has no source here; its tag says which system it is of.")
            with as_path(said["file"], "import_run") as path:
                return files.load_run(path, self._corpus, said["topics"], said["name"], self._by)
        if not said["name"]:
            raise BadField("name", "Give the judgments a name: their file has none.")
        with as_path(said["file"], "import_qrels") as path:
            return files.load_qrels(
                path, self._corpus, said["topics"], said["name"], said["source"], self._by
            )
