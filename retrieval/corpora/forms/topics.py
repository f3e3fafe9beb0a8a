"""The forms that make a set of topics, add a topic to it, and change a topic's wording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from retrieval.corpora.forms.files import as_path
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Topic, TopicSet, TopicVersion
from retrieval.corpora.models.documents import LONGEST_ID
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class WordingForm(ActingForm):
    """What a topic says."""

    title = forms.CharField(label="Title", max_length=5_000, help_text="The query.")
    description = forms.CharField(
        label="Description",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The need in a sentence.",
    )
    narrative = forms.CharField(
        label="Narrative",
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="What counts as relevant.",
    )
    author = forms.CharField(label="Author", required=False, max_length=200, help_text="Who asks.")
    language = forms.CharField(
        label="Language", required=False, max_length=35, help_text="A tag such as en, fr or pt-BR."
    )
    facets = forms.CharField(
        label="Facets",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line, name and value with a colon between them, such as specificity: broad.",
    )

    def clean_facets(self) -> dict[str, str]:
        """Read the facets, a line each."""
        lines = [line.strip() for line in self.cleaned_data["facets"].splitlines() if line.strip()]
        found: dict[str, str] = {}
        for line in lines:
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not (name and colon and value):
                raise forms.ValidationError(f"“{line[:60]}”: a name, a colon and a value were expected.")
            if name in found:
                raise forms.ValidationError(f"“{name}” stands there twice; a topic has one value of a facet.")
            found[name] = value
        return found

    def wording(self) -> dict[str, Any]:
        """Return what was said; what was not sent, or names no language, is left out."""
        said = {
            name: value.replace("\r\n", "\n") if isinstance(value, str) else value
            for name, value in self.cleaned_data.items()
            if name in loading.WORDING and name in self.data
        }
        if not said.get("language"):
            said.pop("language", None)
        return said


class RewordForm(WordingForm):
    """New words for a topic, and why."""

    why = forms.CharField(label="Why", max_length=300, help_text="Kept with the new version, with your name.")

    def __init__(self, *args: Any, topic: Topic, by: User, newest: TopicVersion, **kwargs: Any) -> None:
        facets = "\n".join(f"{name}: {value}" for name, value in newest.facet_pairs())
        wording = {name: getattr(newest, name) for name in loading.WORDING} | {"facets": facets}
        kwargs["initial"] = wording
        super().__init__(*args, **kwargs)
        self._topic, self._by, self._newest = topic, by, newest

    def clean_facets(self) -> dict[str, str]:
        """Read the facets; untouched ones stay: those of a file may say what no line here can."""
        if self.cleaned_data["facets"].split() == self.initial["facets"].split():
            return dict(self._newest.facets)
        return super().clean_facets()

    def save(self) -> TopicVersion | None:
        """Return the new version; None where it was refused and the form says why."""
        why = self.cleaned_data["why"]
        return self.attempt(lambda: loading.reword(self._topic, self.wording(), why, self._by))


class AddTopicForm(WordingForm):
    """Another topic of a set."""

    external_id = forms.CharField(
        label="Id",
        max_length=LONGEST_ID,
        help_text="Its name in files of runs and judgments, without spaces. It cannot be changed later.",
    )
    field_order = ("external_id",)

    def __init__(self, *args: Any, topics: TopicSet, by: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"language": "en", "external_id": str(topics.members.count() + 1)}
        super().__init__(*args, **kwargs)
        if topics.facets:
            there = f" Those of this set: {', '.join(topics.facets)}."
            self.fields["facets"].help_text = f"{self.fields['facets'].help_text}{there}"
        self._topics, self._by = topics, by

    def save(self) -> TopicVersion | None:
        """Return the topic's first version; None where it was refused and the form says why."""
        name = self.cleaned_data["external_id"]
        return self.attempt(lambda: loading.add(self._topics, name, self.wording(), self._by))


class NewTopicsForm(ActingForm):
    """A set of topics: empty, or those of a file."""

    title = forms.CharField(label="Title", max_length=300, help_text="What the topics are called together.")
    slug = forms.SlugField(
        label="Slug",
        max_length=80,
        help_text="Its name in addresses and commands: letters, digits, - and _. It cannot be changed later.",
    )
    source = forms.CharField(
        label="Source", required=False, max_length=300, help_text="Where the topics come from."
    )
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="JSONL, a table (.tsv) or TREC’s form (.trec, .topics, .txt). Without one the topics are "
        "given one by one on the next page.",
    )
    language = forms.CharField(
        label="Language",
        required=False,
        max_length=35,
        initial="en",
        help_text="Of the topics of which the file names none.",
    )

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._by = by

    def save(self) -> TopicSet | None:
        """Return the set; None where it was refused and the form says why."""
        return self.attempt(self._save)

    def _save(self) -> TopicSet:
        facts = {name: self.cleaned_data[name] for name in loading.FACTS}
        upload = self.cleaned_data["file"]
        if upload is None:
            return loading.begin(facts, self._by)
        with as_path(upload, "import_topics") as path:
            return loading.load(path, facts, self.cleaned_data["language"] or "en", self._by).topics
