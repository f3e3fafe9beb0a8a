"""Answers that a study prints where a reader need not read to find them: a check over all of it.

Sought are the right option of every item, and each wrong one; searched are all contexts, the options of
other items, what practice tells afterwards, guidelines and consent. What gives an answer away is a caution;
what readers may notice and cannot conclude from is noted. Items that were left out count for nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from annotation.items.longest_runs import Run, runs_of
from annotation.models import Item, Kind, State, Study
from annotation.studies.dismissals import Dismissal, dismissals, key_of
from common.texts.result_cache import digest_of, results
from retrieval.engine.leaks.printed import Printed, printed
from retrieval.engine.quotations.alignment import Words

CONTEXT, OPTION, EXPLANATION, TEXT = "context", "option", "explanation", "text"
MOST_USES = 3
"""Items in which a passage may be a wrong option before that is said."""
MOST_AT_A_GLANCE = 2_000
"""Items that are checked, in a second, when a page of a draft is shown and its texts have changed."""
WHOLE = 0.9
"""Share of an option's words from which another option is the same passage, or holds it."""

KINDS = {
    "gold-in-context": "the right option stands in another item’s context",
    "gold-in-own-context": "the right option stands in its own context",
    "wrong-in-own-context": "a wrong option stands in its own context",
    "gold-in-explanation": "what practice tells prints the right option",
    "gold-in-text": "guidelines or consent print the right option",
    "gold-told-in-practice": "the right option is that of a practice item, which tells it",
    "gold-twice": "the right option is that of another item, too",
    "gold-as-wrong": "the right option is a wrong one of another item",
    "wrong-in-context": "a wrong option stands in another item’s context",
    "wrong-often": f"a wrong option is used in more than {MOST_USES} items",
}
CAUTIONS = frozenset(list(KINDS)[:6])
"""The kinds that give an answer away; what stands in none of them is noted."""


Tell = Callable[[int, int], object]


def silently(done: int, total: int) -> None:
    """Tell nobody how far it is."""


class Shown(NamedTuple):
    """A text that readers see: of which item (None: of the study), what it is, its number among its like, and
    the words.
    """

    item: Item | None
    place: str
    number: int
    text: str


class Sought(NamedTuple):
    """An option: of which item, its canonical number, whether it is the right one, the words."""

    item: Item
    option: int
    gold: bool
    text: str


class Leak(NamedTuple):
    """One finding. `kind` is a key of `KINDS`; `printed` says where in `shown`, and how much; `dismissal`
    who found it harmless, and why; `changed`: one of its texts is another since it was found.
    """

    kind: str
    sought: Sought
    shown: Shown
    printed: Printed
    dismissal: Dismissal | None = None
    changed: bool = False

    @property
    def caution(self) -> bool:
        """Whether it gives an answer away, and nobody found it harmless."""
        return self.kind in CAUTIONS and self.dismissal is None

    @property
    def key(self) -> str:
        """What it is known by as long as its texts are the same."""
        return key_of(self.kind, self.sought.text, self.shown.text)

    @property
    def items(self) -> list[int]:
        """The numbers of the items it is about."""
        those = {self.sought.item.number} | ({self.shown.item.number} if self.shown.item else set())
        return sorted(those)

    @property
    def label(self) -> str:
        return KINDS[self.kind]

    @property
    def name(self) -> str:
        """What it is known by as long as nothing is changed."""
        there = self.shown.item.number if self.shown.item else 0
        return f"{self.kind}-{self.sought.item.number}-{self.sought.option}-{there}-{self.shown.number}"

    @property
    def coverable(self) -> bool:
        return self.shown.place == CONTEXT

    @property
    def words(self) -> list[str]:
        """The stretches that are printed there."""
        return [self.shown.text[start:end] for start, end in self.printed.spans]


class Parts(NamedTuple):
    """What is checked: `sought` in all of `shown`."""

    sought: list[Sought]
    shown: list[Shown]

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        return [each.text for each in self.sought], [each.text for each in self.shown]

    def wanted(self, one: int, other: int) -> bool:
        """Whether it is a finding that the one stands in the other, by their numbers."""
        return bool(kind_of(self.sought[one], self.shown[other], 1.0))

    def leaks(self, found: Iterable[Printed]) -> list[Leak]:
        """What was found, as findings."""
        those = ((self.sought[each.sought], self.shown[each.shown], each) for each in found)
        return [Leak(kind, *each) for each in those if (kind := kind_of(each[0], each[1], each[2].share))]


class Checked(NamedTuple):
    """What the check found: cautions first, by item, and last what was dismissed; `runs` of every work item,
    the longest first.
    """

    leaks: list[Leak]
    runs: list[Run]
    n_items: int

    @property
    def cautions(self) -> list[Leak]:
        return [each for each in self.leaks if each.caution]

    @property
    def noted(self) -> list[Leak]:
        """What decides nothing."""
        return [each for each in self.leaks if not each.caution and each.dismissal is None]

    @property
    def dismissed(self) -> list[Leak]:
        """What somebody found harmless."""
        return [each for each in self.leaks if each.dismissal is not None]


def at_a_glance(study: Study, texts: Sequence[str]) -> int | None:
    """Return how many cautions a draft has, whose guidelines and consent are `texts`, in two queries.

    None where it has more items than pages check unasked; 0 once it has opened, or without options.
    """
    if study.state != State.DRAFT or not study.task_type.orders_options:
        return 0
    items = list(given(study)[: MOST_AT_A_GLANCE + 1])
    return None if len(items) > MOST_AT_A_GLANCE else sum(each.caution for each in found(study, items, texts))


def check(study: Study, tell: Tell = silently) -> Checked:
    """Check the whole study; `tell` is told texts searched, of how many."""
    return checked(study, list(given(study)), own_texts(study), tell)


def own_texts(study: Study) -> list[str]:
    """Return the newest guidelines and consent, where there are some."""
    now = [study.latest_guideline(), study.latest_consent()]
    return [each.text for each in now if each is not None]


def given(study: Study) -> QuerySet[Item]:
    """Return the items that were neither left out nor replaced."""
    return study.items.filter(retired=None).order_by("number")


def checked(study: Study, items: Sequence[Item], texts: Sequence[str], tell: Tell = silently) -> Checked:
    """Check these items of the study, and its guidelines and consent."""
    leaks = found(study, items, texts, tell)
    return Checked(leaks, runs_of(items), len(items))


def found(study: Study, items: Sequence[Item], texts: Sequence[str], tell: Tell = silently) -> list[Leak]:
    """Return the findings in these items of the study, and its guidelines and consent: cautions first, by
    item, and last what was dismissed.
    """
    parts = parts_of(study, items, texts)
    all_of: list[Sought | Shown] = [*parts.sought, *parts.shown]
    stand = results.get(
        digest_of((each.item and (each.item.pk, each.item.kind), *each[1:]) for each in all_of),
        lambda: printed(*parts.texts, parts.wanted, tell),
    )
    leaks = with_dismissals(study, [*parts.leaks(stand), *often(parts.sought)])
    order = list(KINDS)
    leaks.sort(
        key=lambda each: (
            each.dismissal is not None,
            order.index(each.kind),
            each.sought.item.number,
            -each.printed.share,
        )
    )
    return leaks


def parts_of(study: Study, items: Sequence[Item], texts: Sequence[str]) -> Parts:
    """Return the options of these items, and all that readers see of them and of the study."""
    for each in items:
        each.study = study
    sought = [option for item in items for option in options(item)]
    return Parts(sought, [*of_study(texts), *(text for item in items for text in of_item(item))])


def with_dismissals(study: Study, leaks: list[Leak]) -> list[Leak]:
    """The findings, each with who found it harmless."""
    found = dismissals(study) if leaks else {}
    return [each._replace(dismissal=found.get(each.key)) for each in leaks] if found else leaks


def options(item: Item) -> list[Sought]:
    """Its options, where they are texts that should stand nowhere else."""
    task = item.study.task_type
    if not task.context_texts(item.payload):
        return []
    right = task.option_of(item.payload, item.gold)
    return [Sought(item, n, n == right, str(text)) for n, text in enumerate(task.options(item.payload))]


def of_item(item: Item) -> list[Shown]:
    """What readers see of an item."""
    task, told = item.study.task_type, item.provenance.get("explanation")
    texts = [Shown(item, CONTEXT, n, text) for n, text in enumerate(task.context_texts(item.payload))]
    told_after = [Shown(item, EXPLANATION, 0, told)] if told else []
    return [*texts, *told_after, *(Shown(item, OPTION, each.option, each.text) for each in options(item))]


def of_study(texts: Sequence[str]) -> list[Shown]:
    """What readers see of the study itself."""
    return [Shown(None, TEXT, number, text) for number, text in enumerate(texts)]


def kind_of(sought: Sought, shown: Shown, share: float) -> str:
    """Which kind of finding it is that the one stands in the other; empty where it is none."""
    own = shown.item is not None and shown.item.pk == sought.item.pk
    side = "gold" if sought.gold else "wrong"
    if shown.place == CONTEXT:
        return f"{side}-in-own-context" if own else f"{side}-in-context"
    if not sought.gold:
        return ""
    if shown.place == EXPLANATION:
        # Its own is told after the answer.
        return "" if own else "gold-in-explanation"
    if shown.place == TEXT:
        return "gold-in-text"
    return "" if own or share < WHOLE else of_options(sought.item, shown)


def of_options(item: Item, shown: Shown) -> str:
    """The kind where the right option of one item is an option of another."""
    assert shown.item is not None  # noqa: S101 - options are an item's
    other = shown.item
    if other.study.task_type.option_of(other.payload, other.gold) != shown.number:
        return "gold-as-wrong"
    told = {item.kind, other.kind} & {Kind.PRACTICE.value}
    # Of a pair the later one is named, of work and practice the work.
    if told:
        return "gold-told-in-practice" if item.kind != Kind.PRACTICE else ""
    return "gold-twice" if item.number > other.number else ""


def often(sought: list[Sought]) -> list[Leak]:
    """Wrong options that more than `MOST_USES` items have: said once, of the last item, beside the first."""
    uses: defaultdict[tuple[str, ...], list[Sought]] = defaultdict(list)
    for each in sought:
        if not each.gold:
            uses[tuple(Words(each.text).words)].append(each)
    found = []
    for words, those in uses.items():
        if len(those) > MOST_USES:
            first, last = those[0], those[-1]
            there = Shown(first.item, OPTION, first.option, first.text)
            what = Printed(0, 0, ((0, len(first.text)),), len(words), 1.0)
            found.append(Leak("wrong-often", last, there, what))
    return found
