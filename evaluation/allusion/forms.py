"""What a researcher chooses of the three tables, and of queries from a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms

from annotation.models import Study
from evaluation.allusion import systems
from evaluation.allusion.measuring import NUMBERS, Asked, table
from evaluation.allusion.queries.making import WINDOWS
from evaluation.allusion.queries.storing import Stored, store
from evaluation.allusion.systems import EVERY, SYSTEMS, WORDS, Chosen
from evaluation.allusion.values import TITLES, AllusionTable
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet
from retrieval.forms.acting import ActingForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import QueryDict

SHOWN, LEFT_OUT = "yes", "no"


class TableForm(ActingForm):
    """The choice, bound to the address, so that it can be linked to."""

    table = forms.ChoiceField(label="Table", choices=[(str(n), f"{n}: {TITLES[n]}") for n in NUMBERS])
    qrels = forms.ChoiceField(label="Judgments", required=False)
    wording = forms.MultipleChoiceField(
        label="Wording of the queries",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="One for tables 2 and 3, several for table 4. None: the usual ones.",
    )
    system = forms.ChoiceField(
        label="System of table 4",
        choices=[("", "The best"), *((each.key, each.label) for each in EVERY)],
        required=False,
    )
    vectors = forms.ChoiceField(label="Word vectors", required=False)
    base = forms.ChoiceField(label="Compare with", required=False)
    paper = forms.ChoiceField(
        label="The paper’s values",
        choices=[(SHOWN, "Beneath ours"), (LEFT_OUT, "Left out")],
    )

    def __init__(self, given: QueryDict, corpus: Corpus, topics: TopicSet) -> None:
        given = given.copy()
        for name, value in {"table": str(NUMBERS[0]), "paper": SHOWN}.items():
            given.setdefault(name, value)
        super().__init__(given)
        self._corpus, self._topics = corpus, topics
        self.chosen: Chosen = systems.chosen(Run.objects.filter(corpus=corpus, topics=topics).order_by("pk"))
        names = Qrels.objects.filter(corpus=corpus, topics=topics).values_list("name", flat=True)
        # Judgments that were made with the topics stand first.
        self.judged = sorted(names, key=lambda name: (name != topics.slug, name))
        self._choices("qrels", [(name, name) for name in self.judged])
        self._choices("wording", [(name, name) for name in self.chosen.wordings])
        vectors = sorted({name for *_, name in self.chosen.runs if name})
        self._choices("vectors", [("", "Those of most runs"), *((name, name) for name in vectors)])
        bases = [
            (f"{each.key}:{words}", f"{each.label}, {words}")
            for each in SYSTEMS
            for words in WORDS
            if any(key == each.key and of == words for key, of, *_ in self.chosen.runs)
        ]
        self._choices("base", [("", "The best"), *bases])

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def measured(self) -> AllusionTable | None:
        """Return the table; None where what was chosen is refused and the form says why."""
        return self.attempt(lambda: table(self.asked())) if self.is_valid() else None

    def asked(self) -> Asked:
        """Return what was chosen by a form that is valid."""
        said = self.cleaned_data
        number = int(said["table"])
        return Asked(
            self._corpus,
            self._topics,
            said["qrels"] or self.judged[0],
            number,
            tuple(said["wording"]),
            said["vectors"],
            said["system"] if number == 4 else "",
            # Columns of tables 3 and 4 are others.
            said["base"] if number == 2 else "",
            said["paper"] != LEFT_OUT,
        )


class QueriesForm(ActingForm):
    """Queries of a study: for which corpus, under which name, in which windows."""

    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        to_field_name="slug",
        empty_label=None,
        help_text="With the documents that the references of the items point into.",
    )
    name = forms.SlugField(max_length=80, help_text="Of the topics and of their judgments.")
    windows = forms.CharField(
        label="Windows",
        required=False,
        max_length=100,
        initial=", ".join(map(str, WINDOWS)),
        help_text="Words to each side of the anchor, with commas between them; none for no windows.",
    )
    unread = forms.BooleanField(
        label="Items that nobody has read, too",
        required=False,
        help_text="They are asked by their whole source and by windows.",
    )

    def __init__(self, study: Study, given: QueryDict | None = None) -> None:
        super().__init__(given, initial={"name": f"{study.slug}-spans"[:80]})
        self._study = study
        self.fields["corpus"].queryset = Corpus.objects.ready()  # type: ignore[attr-defined]

    def clean_windows(self) -> tuple[int, ...]:
        """Return the widths. Refuses what is no whole number."""
        words = self.cleaned_data["windows"].replace(",", " ").split()
        if not all(each.isascii() and each.isdigit() and len(each) < 6 for each in words):
            raise forms.ValidationError("Write whole numbers with commas between them, such as 3, 10.")
        return tuple(dict.fromkeys(map(int, words)))

    def stored(self, by: User) -> Stored | None:
        """Return the queries, stored; None where that is refused and the form says why."""
        if not self.is_valid():
            return None
        said = self.cleaned_data
        return self.attempt(
            lambda: store(
                self._study, said["corpus"], said["name"], said["windows"], unread=said["unread"], by=by
            )
        )
