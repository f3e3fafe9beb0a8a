"""What the report of a candidate job is made of: numbers, groups of them, comparisons."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from evaluation.metrics.common.means import MeanEstimate
from evaluation.metrics.common.paired import PairedComparison


class RankLine(NamedTuple):
    """One number.

    ``slug``, ``label``, ``share``, ``definition``, ``formula``, ``source``: as `RankMeasure` has them.
    ``estimate``: its mean with its interval.
    ``random``: what a random order or guess gives for the same queries, exactly; None where there is none.
    """

    slug: str
    label: str
    share: bool
    definition: str
    formula: str
    source: str
    estimate: MeanEstimate
    random: float | None


class Group(NamedTuple):
    """The numbers of some queries.

    ``kind``: all, length or context; ``label``: all, 2 sentences, 4/4.
    ``n_queries``: how many; ``mean_candidates``: ranked for one on average.
    ``n_tied``: those whose gold ties with another candidate (0 where ties were broken when stored).
    ``n_empty``: those without a word of context.
    ``lines``: the numbers.
    """

    kind: str
    label: str
    n_queries: int
    mean_candidates: float
    n_tied: int
    n_empty: int
    lines: tuple[RankLine, ...]

    def line(self, slug: str) -> RankLine | None:
        """The line of that number."""
        return next((line for line in self.lines if line.slug == slug), None)


class Compared(NamedTuple):
    """Paired comparisons on one number, Holm-corrected among themselves.

    ``slug``, ``label``, ``share``: of the number, as `RankMeasure` has them.
    ``rows``: the comparisons.
    """

    slug: str
    label: str
    share: bool
    rows: tuple[PairedComparison, ...]


class RankReport(NamedTuple):
    """All that every rendering prints of a job's ranking.

    ``job``, ``job_version``, ``status``: its number, the code that ran it, and how it stands.
    ``book``, ``title``: slug and title of the book.
    ``ranker``, ``parameters``: what ranked.
    ``fused``, ``fused_by``: rankings that its pool fuses, and how; empty where one ranker's order is kept.
    ``made_with``: versions of libraries by name.
    ``models``: each checkpoint, as it is said, and its sha256.
    ``words``: the same of each table of words.
    ``n_excerpts``, ``n_wanted``: excerpts ranked, and how many the job is to rank.
    ``n_alone``: excerpts without a wrong passage.
    ``seed``, ``resamples``, ``level``: of the intervals.
    ``computed``, ``version``: when, and by which code.
    ``groups``: the numbers of all queries, by length and by context.
    ``compared``: with other jobs.
    ``n_beyond``: excerpts whose gold is ranked beyond ``cutoff`` (RELiC's second study).
    ``n_changed``: those whose stored rank was not found again, None unless contexts were computed.
    ``problem``: why there are no ``groups``, else empty.
    """

    job: int
    book: str
    title: str
    ranker: str
    parameters: dict[str, object]
    fused: tuple[str, ...]
    fused_by: str
    made_with: dict[str, str]
    models: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str], ...]
    job_version: str
    status: str
    n_excerpts: int
    n_wanted: int
    n_alone: int
    seed: int
    resamples: int
    level: float
    computed: datetime
    version: str
    groups: tuple[Group, ...]
    compared: tuple[Compared, ...]
    cutoff: int
    n_beyond: int
    n_changed: int | None
    problem: str

    def of_kind(self, kind: str) -> tuple[Group, ...]:
        """The groups of one kind, in their order."""
        return tuple(group for group in self.groups if group.kind == kind)
