"""A study's report as one value: all that text, JSON, CSV, LaTeX and the page print."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from annotation.people.withdrawal import Withdrawal
from annotation.studies.running.adding import Addition
from annotation.validation.first_grades import Seen
from common.tables.table import Table
from evaluation.metrics.common.jackknife import WILSON_OF_EQUAL
from evaluation.values.beside import Beside
from evaluation.values.lines import LeftOutRange, Line, MeasureRow, rows_of
from evaluation.values.looks import Looked
from evaluation.values.tables import PageSection


class ReaderLine(NamedTuple):
    """One annotator: what was judged, and accuracy against gold.

    ``pseudonym``: the only name that is printed.
    ``simulated``: whether it is a program.
    ``n_answers``, ``n_undecided``, ``n_broken``: current judgments by outcome.
    ``n_with_gold``: answers on items with gold, and ``n_correct`` those of them that are the gold answer.
    ``accuracy``, ``low``, ``high``: their share with its Wilson interval, None without gold.
    ``median_seconds``: of active time on an answer, None where no time is known.
    """

    pseudonym: str
    simulated: bool
    n_answers: int
    n_undecided: int
    n_broken: int
    n_with_gold: int
    n_correct: int
    accuracy: float | None
    low: float | None
    high: float | None
    median_seconds: float | None


class Settled(NamedTuple):
    """Readers against decisions.

    ``n_settled``: items with a decision that is an answer.
    ``n_open``: items of which was decided that no answer can be given.
    ``n_adopted``: items whose decision is a reader's answer.
    ``lines``: the measures, with decisions in the place of gold.
    """

    n_settled: int
    n_open: int
    n_adopted: int
    lines: tuple[Line, ...]


class ReaderColumn(NamedTuple):
    """A column of the table of readers.

    ``short``: its heading in plain text.
    ``heading``: its heading on the page.
    ``cells``: one a reader, worded.
    ``total``: of all readers, empty without.
    """

    short: str
    heading: str
    cells: tuple[str, ...]
    total: str = ""


class Panels(NamedTuple):
    """Titles of the three pictures of measures.

    ``shares``: of shares; ``coefficients``: of coefficients; ``readers``: of readers against gold.
    ``guess``: what guessing gives in the last, None without.
    """

    shares: str = "Shares"
    coefficients: str = "Coefficients"
    readers: str = "Readers like gold"
    guess: float | None = None


class KindReport(NamedTuple):
    """What a kind of data says of a study beside its measures. Values only: writers and pages lay them out.

    ``summary``: sentences after the first.
    ``notes_on_answers``: what must be known of the answers, None for the usual sentence on answers that are
    none.
    ``last_notes``: what stands behind all other notes.
    ``offered``: what an answer is chosen from, as ``3 options``, empty where it is not chosen.
    ``guessing``: what the column “Random” holds; ``guess``: the same in one word; ``random``: in a sentence.
    ``chance_differs``: whether chance means something else in every line and has to be printed with each.
    ``tested``: the statistic that p is of.
    ``columns``: of the table of readers.
    ``reader_numbers``: for each reader, numbers for CSV by name.
    ``reader_data``: for each reader, further keys for JSON.
    ``panels``: titles of the pictures.
    ``sections``: of the page, behind the measures; ``last_sections``: behind the readers.
    ``text``: sentences and tables of the plain text.
    ``spread_note``: the sentence under the table of answers per item.
    ``data``: keys of the JSON report; ``rows``: of the CSV.
    ``beside_settled``: slugs of the measures that are printed again beside the comparison with decisions.
    """

    summary: tuple[str, ...] = ()
    notes_on_answers: tuple[str, ...] | None = None
    last_notes: tuple[str, ...] = ()
    offered: str = ""
    guessing: str = "chance"
    guess: str = "chance"
    random: str = "Random: 0 by definition for coefficients, and a dash where no chance is defined."
    chance_differs: bool = False
    tested: str = ""
    columns: tuple[ReaderColumn, ...] = ()
    reader_numbers: tuple[dict[str, Any], ...] = ()
    reader_data: tuple[dict[str, Any], ...] = ()
    panels: Panels = Panels()
    sections: tuple[PageSection, ...] = ()
    last_sections: tuple[PageSection, ...] = ()
    text: tuple[str | Table, ...] = ()
    spread_note: str = "Agreement is computed from items with two answers or more."
    data: dict[str, Any] = {}
    rows: tuple[dict[str, Any], ...] = ()
    beside_settled: tuple[str, ...] = ()


class Report(NamedTuple):
    """All that every rendering prints of a study.

    ``slug``, ``title``, ``task``: the study's name, title and task type.
    ``data``: the name of its kind of data, empty where the task is unknown.
    ``is_open``: whether answers still come in.
    ``option_order``: as the study stores it.
    ``seed``, ``resamples``, ``level``: of the intervals.
    ``computed``, ``version``: when, and by which code.
    ``n_items``: work items; ``n_options``: q, 0 where there is none.
    ``histogram``: {answers: items that have so many}, 0 included.
    ``readers``: its annotators, in the order in which they joined.
    ``lines``: its measures in the order in which they are printed.
    ``left_out``: how far measures move without each annotator.
    ``problem``: why there are no ``lines``, else empty.
    ``machine_seen``: judgments with a machine's answer in sight, counted; None where none is shown.
    ``withdrawn``: who withdrew, and what became of their judgments.
    ``added``: items that came while the study was open.
    ``settled``: readers against decisions, None without any.
    ``n_retired``: items that another version stands for, which enter nothing.
    ``weighting``: how items weigh, one of ``weightings`` (with what each says); empty where there is one way.
    ``n_topics``: topics with an answer, where intervals are over topics; 0 where they are over items.
    ``topics_of_intervals``: of these, those with an item of two answers, over which agreement has intervals.
    ``found``: what only this kind has, which no page looks into; ``own``: what the kind makes of it.
    ``beside``: machine readers beside people, None without any; nothing else of the report knows of them.
    ``looked``: the looks of the stopping rule, None without one.
    """

    slug: str
    title: str
    task: str
    data: str
    is_open: bool
    option_order: str
    seed: int
    resamples: int
    level: float
    computed: datetime
    version: str
    n_items: int
    n_options: int
    histogram: dict[int, int]
    readers: tuple[ReaderLine, ...]
    lines: tuple[Line, ...]
    left_out: tuple[LeftOutRange, ...]
    problem: str
    withdrawn: tuple[Withdrawal, ...] = ()
    machine_seen: Seen | None = None
    settled: Settled | None = None
    n_retired: int = 0
    weighting: str = ""
    weightings: dict[str, str] = {}
    n_topics: int = 0
    topics_of_intervals: int = 0
    added: tuple[Addition, ...] = ()
    found: Any = None
    own: KindReport = KindReport()
    beside: Beside | None = None
    looked: Looked | None = None

    @property
    def n_judged(self) -> int:
        """Items with an answer."""
        return self.n_items - self.histogram.get(0, 0)

    @property
    def resampled(self) -> str:
        """What is left out and drawn again: topics where the items have them."""
        return "topics" if self.n_topics else "items"

    @property
    def n_answers(self) -> int:
        return sum(reader.n_answers for reader in self.readers)

    @property
    def n_undecided(self) -> int:
        return sum(reader.n_undecided for reader in self.readers)

    @property
    def n_broken(self) -> int:
        return sum(reader.n_broken for reader in self.readers)

    @property
    def active(self) -> tuple[ReaderLine, ...]:
        """The readers who have given an answer."""
        return tuple(reader for reader in self.readers if reader.n_answers)

    @property
    def simulated(self) -> tuple[str, ...]:
        """The pseudonyms of programs that have judged anything."""
        return tuple(
            reader.pseudonym
            for reader in self.readers
            if reader.simulated and reader.n_answers + reader.n_undecided + reader.n_broken
        )

    @property
    def without_spread(self) -> tuple[str, ...]:
        """Labels of the measures whose interval is Wilson's because every item says the same."""
        return tuple(line.measure.label for line in self.lines if line.estimate.method == WILSON_OF_EQUAL)

    @property
    def methods(self) -> frozenset[str]:
        """How the intervals were made, in the words of the metrics; those against decisions as well."""
        lines = (*self.lines, *(self.settled.lines if self.settled else ()))
        return frozenset(line.estimate.method for line in lines if line.estimate.method)

    def line(self, slug: str) -> Line | None:
        """The line of that measure, if this report prints it."""
        return next((line for line in self.lines if line.measure.slug == slug), None)

    @property
    def rows(self) -> tuple[MeasureRow, ...]:
        """The measures in the report's own order, worded."""
        return rows_of(self.lines)

    @property
    def settled_rows(self) -> tuple[MeasureRow, ...]:
        """Readers against what was settled, and below it how far they agreed, whatever was settled."""
        if self.settled is None or not self.settled.lines:
            return ()
        agreed = [line for line in map(self.line, self.own.beside_settled) if line]
        valued = [line for line in agreed if line.estimate.value is not None]
        return rows_of((*self.settled.lines, *valued))
