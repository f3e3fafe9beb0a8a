"""What a draft is made of beside its settings: items, a consent; and the name of a copy."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from annotation.items.from_excerpts import MOST
from annotation.manage.forms.studies import BeyondField, JobField, NameForm, TextVersionForm
from annotation.models import Study
from annotation.studies.consent_texts import LONGEST
from annotation.studies.overview import finished_jobs
from annotation.studies.pools import shared_by
from annotation.tasktypes.base import TaskType
from retrieval.corpora.models import Pool
from retrieval.forms.imports import TextFile
from retrieval.models import Book, CandidateJob


class JobForm(forms.Form):
    """Choose the finished candidate job whose excerpts become items."""

    job = JobField(
        label="Candidate job",
        queryset=CandidateJob.objects.none(),
        empty_label="Choose a finished job",
        help_text="Each of its excerpts becomes an item: the gold passage among the job’s negatives.",
        error_messages={"invalid_choice": "There is no finished job of that number: choose one of the list."},
    )

    beyond = BeyondField()

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        job = self.fields["job"]
        assert isinstance(job, JobField)  # noqa: S101 - declared above
        job.queryset = finished_jobs()


class PoolForm(forms.Form):
    """Choose a pool whose documents become items, and what all items of the study have in common."""

    pool = forms.ModelChoiceField(
        label="Pool",
        queryset=Pool.objects.select_related("corpus", "topics"),
        empty_label="Choose a pool",
        help_text="Each of its documents becomes an item for its topic, as far as the study has not got it. "
        "Readers learn of no run and no rank.",
        error_messages={"invalid_choice": "There is no pool of that number: choose one of the list."},
    )
    template = forms.ChoiceField(label="Scale", widget=forms.RadioSelect)
    highlight = forms.BooleanField(
        label="Mark the words of the topic’s title in each document",
        required=False,
        help_text="It spares effort and changes judgments, so it is off unless you say so, and every item "
        "records it.",
    )
    rationale = forms.ChoiceField(
        label="The words that decided",
        required=False,
        choices=[
            ("", "are not asked for"),
            ("optional", "may be marked, after the grade"),
            ("required", "must be marked with every grade but the lowest"),
        ],
        help_text="Marking takes time, and readers who mark read more closely: the export has the setting.",
    )
    leave_out = forms.BooleanField(
        label="Leave out documents that no reader can be given",
        required=False,
        help_text="Such as very long ones. They are named; without this the pool is refused for one of them.",
    )

    def __init__(self, data: QueryDict | None = None, *, study: Study) -> None:
        super().__init__(data, auto_id="pool_%s")  # The form for files on the page has a template, too.
        self.templates = study.task_type.templates
        offer_templates(self.fields["template"], study.task_type)
        self.fields["template"].initial = next(iter(self.templates), None)
        if shared_by(study):
            # What its items have in common stays.
            del self.fields["template"], self.fields["highlight"], self.fields["rationale"]

    def clean(self) -> dict[str, Any]:
        """Add what was chosen for all items as `shared`; empty where the study has some."""
        said = super().clean() or {}
        asked = {name: said[name] for name in ("highlight", "rationale") if said.get(name)}
        chosen = self.templates[said["template"]].fields if said.get("template") else {}
        return {**said, "shared": {**chosen, **asked}}


class FileForm(forms.Form):
    """Upload a file of items, for a task with templates with one of them."""

    file = TextFile(label="File of items (JSONL)", help_text="One item a line, as UTF-8 text.")
    template = forms.ChoiceField(
        label="What all items share",
        required=False,
        help_text="Such as their questions or their scale; the file then leaves it out.",
    )

    def __init__(self, task: TaskType, *data: Any) -> None:
        super().__init__(*data)
        offer_templates(self.fields["template"], task, ("", "as the file has them"))
        if not task.templates:
            del self.fields["template"]


class ExcerptsForm(forms.Form):
    """Draw a sample of the excerpts in use."""

    questions = forms.ChoiceField(label="Questions", help_text="The same for all items of the study.")
    book = forms.ModelChoiceField(
        Book.objects.order_by("title"), label="Book", required=False, empty_label="All books"
    )
    size = forms.IntegerField(
        label="How many excerpts", min_value=1, max_value=MOST, initial=200, help_text="RELiC has 200."
    )

    def __init__(self, task: TaskType, *data: Any) -> None:
        super().__init__(*data)
        offer_templates(self.fields["questions"], task)


def offer_templates(field: forms.Field, task: TaskType, *first: tuple[str, str]) -> None:
    """Offer the task's templates in a field, behind what comes `first`."""
    assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared so in each form
    field.choices = [*first, *((slug, each.label) for slug, each in task.templates.items())]


class ConsentForm(TextVersionForm):
    """Write the next version of the consent."""

    text = forms.CharField(
        label="What readers agree to",
        max_length=LONGEST,
        widget=forms.Textarea({"rows": 12}),
        help_text="Who asks, for what, what is stored, for how long, whom to write to. The marks are those "
        "of guidelines: **strong**, - list, # heading. An empty line begins a new paragraph.",
    )
    keeps = forms.TypedChoiceField(
        label="Should a reader withdraw",
        choices=[
            ("1", "their judgments are kept under the pseudonym, and nothing else of them"),
            ("0", "their judgments are dropped with everything else, and others read their items instead"),
        ],
        coerce=lambda value: value == "1",
        widget=forms.RadioSelect,
    )

    @classmethod
    def values(cls, last: Any) -> dict[str, str]:
        return super().values(last) | {"keeps": "1" if last is None or last.keeps else "0"}


class DuplicateForm(NameForm):
    """Name the copy of a study."""

    @classmethod
    def of(cls, study: Study, data: QueryDict | None) -> DuplicateForm:
        """Return a form with a title and a short name for the copy of this study."""
        return cls(data, initial={"title": f"{study.title} (copy)"[:200]})
