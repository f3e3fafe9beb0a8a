"""What researchers send: a new study, an invitation, guidelines, a key for scripts."""

from __future__ import annotations

from typing import Any, Self

from django import forms
from django.contrib.auth.models import User
from django.utils.text import slugify

from annotation.models import ApiToken, Role, Study
from annotation.models.study import StudyText
from annotation.people.enrolments import MOST_DAYS, MOST_SEATS
from annotation.people.tokens import LONGEST, SCOPES
from annotation.studies.build import LONGEST_GUIDELINES, RESERVED, reserved, taken
from annotation.studies.overview import finished_jobs, job_label
from annotation.tasktypes import registry
from retrieval.models import CandidateJob

LONGEST_SLUG = 80


class Checkboxes(forms.CheckboxSelectMultiple):
    """Checkboxes whose error can be linked to: the first of them takes the focus."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index or "0")


class JobField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not subscriptable at run time
    """A candidate job, chosen by what it is in words."""

    def label_from_instance(self, obj: CandidateJob) -> str:
        return job_label(obj)


class BeyondField(forms.IntegerField):
    """The rank beyond which the ranker must have placed the right passage."""

    def __init__(self) -> None:
        super().__init__(
            label="Only passages the ranker missed: ranked beyond",
            min_value=1,
            required=False,
            help_text="Left empty, every excerpt becomes an item. RELiC’s second study takes those that the "
            "ranker placed beyond 1,000, and its two best beside them: for these the job must have been "
            "launched with nothing ticked under “Wrong passages that look like the right one”.",
        )


class NameForm(forms.Form):
    """The title of a study that is to be made, and its short name, which may follow the title."""

    title = forms.CharField(max_length=200, help_text="Readers see it.")
    slug = forms.SlugField(
        label="Short name",
        max_length=LONGEST_SLUG,
        required=False,
        help_text="For addresses and file names: letters, digits, hyphens. Left empty, it follows the title.",
    )

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug in RESERVED:
            raise forms.ValidationError(reserved(slug))
        if slug and Study.objects.filter(slug=slug).exists():
            raise forms.ValidationError(taken(slug))
        return slug

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("slug") == "" and "title" in data:
            data["slug"] = free_slug(data["title"])
            if not data["slug"]:
                self.add_error("slug", "No short name can be made from this title: write one.")
        return data


class StudyForm(NameForm):
    """What a new draft begins with. Everything else is set up step by step, until it opens."""

    task = forms.ChoiceField(label="Task", widget=forms.RadioSelect)
    job = JobField(
        label="Candidate job",
        queryset=CandidateJob.objects.none(),
        required=False,
        empty_label="No job: I bring the items in a file",
        help_text="Each of its excerpts becomes an item: the gold passage among the job’s negatives. "
        "It can also be chosen later.",
        error_messages={"invalid_choice": "There is no finished job of that number: choose one of the list."},
    )

    beyond = BeyondField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        types = registry.all_types()
        choices = [(slug, task.label) for slug, task in types.items()]
        task, job = self.fields["task"], self.fields["job"]
        assert isinstance(task, forms.ChoiceField)  # noqa: S101 - declared above
        assert isinstance(job, JobField)  # noqa: S101 - declared above
        task.choices, job.queryset = choices, finished_jobs()
        task.initial = choices[0][0]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        task, job = data.get("task"), data.get("job")
        if task and job and not registry.get(task).from_candidates:
            self.add_error("job", "Items of this task are loaded from a file: leave the job out.")
        if data.get("beyond") and not job:
            self.add_error("beyond", "A rank needs the job that ranked: choose one, or leave this empty.")
        return data


def free_slug(title: str) -> str:
    """Return a short name made from the title that no study has; empty where no letter of it can be used."""
    base = slugify(title)[: LONGEST_SLUG - 6].strip("-_")
    if not base:
        return ""
    known = RESERVED | set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    names = (base if n == 1 else f"{base}-{n}" for n in range(1, len(known) + 2))
    return next(name for name in names if name not in known)


class InvitationForm(forms.Form):
    """Make an invitation link."""

    NAMES = {Role.ANNOTATOR: "Reader", Role.ADJUDICATOR: "Adjudicator", Role.RESEARCHER: "Researcher"}
    ROLES = [
        (Role.ANNOTATOR, "Reader: judges items, sees nothing of others"),
        (Role.ADJUDICATOR, "Adjudicator: decides on the items on which readers differ"),
        (Role.RESEARCHER, "Researcher: sees and does all that you can here"),
    ]

    role = forms.ChoiceField(label="As what", choices=ROLES, initial=Role.ANNOTATOR, widget=forms.RadioSelect)
    seats = forms.IntegerField(
        label="For how many people",
        min_value=1,
        max_value=MOST_SEATS,
        initial=1,
        help_text="One link may be sent to all of them.",
    )
    days = forms.IntegerField(
        label="Valid for (days)", min_value=1, max_value=MOST_DAYS, initial=14, help_text="From now on."
    )


class TextVersionForm(forms.Form):
    """Write the next version of a text, based on the version `seen`."""

    seen = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)

    @classmethod
    def of(cls, last: StudyText | None, data: Any = None) -> Self:
        """Return a form that continues from version `last`, filled with `data` where something was sent."""
        return cls(data, initial=cls.values(last) | {"seen": last.version if last else 0})

    @classmethod
    def values(cls, last: Any) -> dict[str, str]:
        """Return the fields of version `last`, None for the first version."""
        return {"text": last.text if last else ""}

    def retry(self, last: StudyText | None, error: str) -> Self:
        """Return a form with what was sent, now based on version `last`, and what was wrong."""
        said = {name: self.data.get(name, "") for name in self.fields}
        again = self.of(last, said | {"seen": last.version if last else 0})
        again.add_error("text", error)
        return again


class GuidelinesForm(TextVersionForm):
    """Write the next version of the guidelines."""

    text = forms.CharField(
        label="Text",
        max_length=LONGEST_GUIDELINES,
        widget=forms.Textarea({"rows": 12}),
        help_text="Plain text with a few marks: **strong**, *emphasis*, # heading, - list, 1. list, "
        "> quotation, [words](https://…). An empty line begins a new paragraph.",
    )


class TokenForm(forms.Form):
    """Make a key for scripts."""

    name = forms.CharField(max_length=80, help_text="For you, so that you know which key is which.")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=list(SCOPES.items()),
        widget=Checkboxes,
        help_text="Never more than you may do yourself.",
        error_messages={"required": "Choose at least one thing that the key may do."},
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=LONGEST.days - 1, initial=90)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_name(self) -> str:
        # Also what keeps a reloaded reply from making a second key.
        name = str(self.cleaned_data["name"])
        if ApiToken.objects.filter(user=self.user, name=name, revoked=None).exists():
            raise forms.ValidationError(
                f"You have a key “{name}” already: choose another name, or revoke it."
            )
        return name
