"""The forms that begin a set of questions, have them written, change one, and make topics of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from retrieval.corpora.forms.files import as_path
from retrieval.corpora.forms.reranking import AskForm
from retrieval.corpora.models import Corpus, EndpointJob, Question, QuestionSet
from retrieval.corpora.reranking.estimating import Expected
from retrieval.engine.questions.checking import MOST_OVERLAP
from retrieval.forms.acting import ActingForm
from retrieval.questions import editing, exporting, sets, writing
from retrieval.questions.exporting import Exported

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ORIGINS = {"inline": "from citations in a text", "author": "by authors of their own texts"}


class BeginForm(ActingForm):
    """A set of questions, of a file of paragraphs with citation marks."""

    title = forms.CharField(label="Title", max_length=300)
    slug = forms.SlugField(
        label="Slug",
        max_length=80,
        help_text="Its name in addresses and commands. It cannot be changed later.",
    )
    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        help_text="JSON lines: id, text, and if wanted source, the document it stands in. Citation marks are "
        "written [@id; @id] in the text, or listed beside it. Of authors: id, question, targets.",
    )
    origin = forms.ChoiceField(label="Where the questions come from", choices=list(ORIGINS.items()))
    most_overlap = forms.FloatField(
        label="Overlap with the title at most",
        min_value=0,
        max_value=1,
        initial=MOST_OVERLAP,
        help_text="Share of a question’s words that stand in a target’s title. More is refused.",
    )

    def __init__(self, *args: Any, corpus: Corpus, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._corpus, self._by = corpus, by

    def save(self) -> QuestionSet | None:
        """Return the set; None where it was refused and the form says why."""
        return self.attempt(self._save)

    def _save(self) -> QuestionSet:
        facts = {name: self.cleaned_data[name] for name in sets.FACTS}
        with as_path(self.cleaned_data["file"], "write_questions") as path:
            return sets.begin(path, self._corpus, facts, self._by)


class WriteForm(AskForm):
    """Which model writes the questions that wait, and what it may spend."""

    def __init__(self, *args: Any, found: QuestionSet, by: User, **kwargs: Any) -> None:
        super().__init__(*args, corpus=found.corpus, by=by, **kwargs)
        self._set = found

    def expected(self) -> Expected | None:
        """Return what it would take; None where it is refused and the form says why."""
        return self.attempt(lambda: writing.expected(self._set, self.cleaned_data["endpoint"]))

    def launch(self) -> EndpointJob | None:
        """Return the new job; None where it was refused and the form says why."""
        endpoint = self.cleaned_data["endpoint"]
        return self.attempt(lambda: writing.submit(self._set, endpoint, self.limits(), by=self._by))


class EditForm(ActingForm):
    """Other words for a question; or whether it stays."""

    text = forms.CharField(
        label="Question",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=5_000,
        error_messages={"required": "The question is empty; leave it out instead."},
    )
    why = forms.CharField(
        label="Why",
        required=False,
        max_length=200,
        help_text="Kept with the change. Needed to keep or leave out.",
    )

    def __init__(self, *args: Any, question: Question, by: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"text": question.text}
        super().__init__(*args, **kwargs)
        self._question, self._by = question, by

    def save(self, act: str) -> Question | None:
        """Do what the button says: `edit`, `keep` or `leave`; None where it was refused."""
        why, by = self.cleaned_data["why"], self._by
        if act == "keep":
            return self.attempt(lambda: editing.keep(self._question, why, by))
        if act == "leave":
            return self.attempt(lambda: editing.leave_out(self._question, why, by))
        return self.attempt(lambda: editing.edit(self._question, self.cleaned_data["text"], why, by))


class ExportForm(ActingForm):
    """The names of the topics and judgments that a set becomes."""

    slug = forms.SlugField(label="Slug of the topics", max_length=80)
    qrels = forms.SlugField(
        label="Name of the judgments", max_length=80, required=False, help_text="Empty: the slug."
    )
    unjudged = forms.BooleanField(label="Take questions that nobody has judged, too", required=False)

    def __init__(self, *args: Any, found: QuestionSet, by: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"slug": found.slug}
        super().__init__(*args, **kwargs)
        self._set, self._by = found, by

    def save(self) -> Exported | None:
        """Return what was made; None where it was refused and the form says why."""
        asked = self.cleaned_data
        return self.attempt(
            lambda: exporting.export(
                self._set, asked["slug"], asked["qrels"], unjudged=asked["unjudged"], by=self._by
            )
        )
