"""Measuring stored runs: what is asked of them, the most of it one request may have, the command for more."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join
from typing import NamedTuple
from urllib.parse import urlencode

from annotation.models import Item, Study
from common.errors import BadField
from common.wording import counted
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.graded import Qrels
from evaluation.metrics.ranking.measures import RunMeasure, measures
from evaluation.metrics.ranking.order import STORED
from evaluation.runs import judgments, stored
from evaluation.runs.comparing import Part, direct
from evaluation.runs.report import BLOCKS, RunsReport, runs_report
from retrieval.corpora.models import Corpus, Grade, Ranked, TopicSet
from retrieval.corpora.searching.judged import residual

MOST_AT_ONCE = 100_000
"""Rows of runs and judgments that a request may have measured."""
MOST_PAIRS = 1_500
"""Runs times topics, on which the time of the comparisons depends."""
MOST_MEASURES = 12
DEEPEST = 1_000
"""Of a pool."""


class Asked(NamedTuple):
    """What of a corpus is to be measured.

    corpus, topics: of the runs.
    qrels: the name of the judgments; empty where they are those of `study`.
    runs: their names, in the order of the tables.
    level: the least grade that is relevant; None: half the scale.
    highest: the highest grade of the scale; None: the highest given.
    blocks: the measures, a table each.
    base: the run that the others are compared with; empty for no comparison.
    facet: the facet of topics by which the first table is printed once more; empty for none.
    depth: of the pool that the runs would make; None for none.
    study: whose grades are the judgments, by `rule`; None for loaded ones.
    rule: by which grades become one.
    """

    corpus: Corpus
    topics: TopicSet
    qrels: str
    runs: tuple[str, ...]
    level: int | None = None
    highest: int | None = None
    blocks: Sequence[Sequence[RunMeasure]] = BLOCKS
    base: str = ""
    facet: str = ""
    depth: int | None = None
    study: Study | None = None
    rule: str = "median"


class TooMuch(Exception):
    """More than a request may compute; the message is a sentence.

    command: what computes it.
    """

    def __init__(self, sentence: str, command: str) -> None:
        super().__init__(sentence)
        self.command = command


def blocks_of(text: str) -> Sequence[Sequence[RunMeasure]]:
    """Return the measures named with commas as one table; the usual two where none is. Raises `BadField`."""
    if not text.strip():
        return BLOCKS
    try:
        found = measures(text)
    except ValueError as error:
        raise BadField("measures", str(error)) from None
    if len(found) > MOST_MEASURES:
        raise BadField("measures", f"{len(found)} measures; at most {MOST_MEASURES} at once.")
    return (found,)


def check(asked: Asked) -> None:
    """Refuse a base that is none of the runs. Raises `BadField`."""
    if asked.base and asked.base not in asked.runs:
        raise BadField("base", f"“{asked.base}” is not among the runs: {', '.join(asked.runs)}.")


def measured(
    asked: Asked,
    *,
    within_a_request: bool,
    seed: int = 0,
    resamples: int = RESAMPLES,
    part: Part = direct,
    earlier: Qrels | None = None,
) -> RunsReport:
    """Compute the report; `part` as `runs_report` has it.

    `earlier` are judgments that there were before a further pool. Where the judgments asked for are of that
    pool alone, they are laid over these.

    Raises:
        TooMuch: it is computed within a request, and is more than `MOST_AT_ONCE` and `MOST_PAIRS` allow.
        BadInput: a name that is not here, or whatever `runs_report` refuses.
    """
    runs = stored.runs_of(asked.corpus, asked.runs, asked.topics)
    if within_a_request:
        n_rows = Ranked.objects.filter(run__in=runs).count() + _n_judged(asked)
        _bound(asked, n_rows, asked.topics.members.count())
    given = given_of(asked)
    report = runs_report(
        laid_over(earlier or {}, given.qrels),
        stored.later_runs(runs),
        blocks=asked.blocks,
        level=asked.level,
        most=asked.highest or given.highest,
        base=asked.base,
        facets=stored.read_facets(asked.topics, asked.facet) if asked.facet else None,
        depth=asked.depth,
        used=residual(runs),
        seed=seed,
        resamples=resamples,
        part=part,
        earlier=earlier,
    )
    return report._replace(ties=STORED, about=given.about, simulated=given.simulated)


def given_of(asked: Asked) -> judgments.Given:
    """Return the judgments asked for. Raises `BadInput` where there are none so called."""
    if asked.study:
        return judgments.of_study(asked.study, asked.rule, asked.corpus, asked.topics)
    return judgments.of_file(asked.corpus, asked.topics, asked.qrels)


def laid_over(earlier: Qrels, later: Qrels) -> Qrels:
    """Return both judgments as one; of a pair that both have, the later grade."""
    topics = dict.fromkeys((*earlier, *later))
    return {topic: {**earlier.get(topic, {}), **later.get(topic, {})} for topic in topics}


def _n_judged(asked: Asked) -> int:
    if asked.study:
        return Item.objects.filter(study=asked.study).count()
    return Grade.objects.filter(qrels__corpus=asked.corpus, qrels__name=asked.qrels).count()


def _bound(asked: Asked, n_rows: int, n_topics: int) -> None:
    if n_rows > MOST_AT_ONCE:
        said = f"These runs and judgments have {n_rows:,} rows; at most {MOST_AT_ONCE:,}"
    elif len(asked.runs) * n_topics > MOST_PAIRS:
        fits = MOST_PAIRS // n_topics
        chosen, verb = counted(len(asked.runs), "run"), "was" if len(asked.runs) == 1 else "were"
        said = f"{chosen} {verb} chosen; with {n_topics:,} topics at most {fits or 'none'}"
    else:
        return
    raise TooMuch(
        f"{said} are measured on a page or for a script.",
        command(asked),
    )


def command(asked: Asked) -> str:
    """Return the command that computes the same."""
    named = [one.label for block in asked.blocks for one in block] if asked.blocks != BLOCKS else []
    said = {
        "--corpus": asked.corpus.slug,
        "--rule": asked.rule if asked.study else "",
        "--level": asked.level,
        "--highest": asked.highest,
        "--measures": ",".join(named),
        "--compare": asked.base,
        "--facets": asked.facet,
        "--pool": asked.depth,
    }
    options = [part for name, value in said.items() if value for part in (name, str(value))]
    qrels = f"{judgments.PREFIX}{asked.study.slug}" if asked.study else asked.qrels
    return f"manage.py evaluate_runs {join([qrels, *asked.runs, *options])}"


def query(asked: Asked) -> str:
    """Return the address's part that asks the same of the page."""
    named = ",".join(one.label for block in asked.blocks for one in block) if asked.blocks != BLOCKS else ""
    said = {
        "qrels": f"{judgments.PREFIX}{asked.study.slug}" if asked.study else asked.qrels,
        "run": asked.runs,
        "base": asked.base,
        "rule": asked.rule if asked.study else "",
        "level": asked.level,
        "highest": asked.highest,
        "facet": asked.facet,
        "depth": asked.depth,
        "measures": named,
    }
    return urlencode([(name, value) for name, value in said.items() if value], doseq=True)
