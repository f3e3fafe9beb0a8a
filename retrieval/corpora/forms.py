"""The form that changes a topic's wording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Topic, TopicVersion
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class RewordForm(ActingForm):
    """New words for a topic, and why."""

    title = forms.CharField(label="Title", max_length=5_000, help_text="The query.")
    description = forms.CharField(
        label="Description", required=False, widget=forms.Textarea, help_text="The need in a sentence."
    )
    narrative = forms.CharField(
        label="Narrative", required=False, widget=forms.Textarea, help_text="What counts as relevant."
    )
    why = forms.CharField(label="Why", max_length=300, help_text="Kept with the new version, with your name.")

    def __init__(self, *args: Any, topic: Topic, by: User, newest: TopicVersion, **kwargs: Any) -> None:
        wording = {name: getattr(newest, name) for name in ("title", "description", "narrative")}
        kwargs["initial"] = wording
        super().__init__(*args, **kwargs)
        self._topic, self._by = topic, by

    def save(self) -> TopicVersion | None:
        """Return the new version; None where it was refused and the form says why."""
        # A browser ends lines as a letter does, a file as this system does.
        said = {name: value.replace("\r\n", "\n") for name, value in self.cleaned_data.items()}
        why = said.pop("why")
        return self.attempt(lambda: loading.reword(self._topic, dict(said), why, self._by))
