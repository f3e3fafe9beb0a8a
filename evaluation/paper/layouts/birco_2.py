"""BIRCO's Table 2: systems by nDCG@10 and Recall@5, with bootstrapped errors beside our intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils import timezone

from annotation.models import Study
from common.errors import BadInput
from common.tables.table import NONE, Cell, Column, Row, table
from common.wording import counted
from evaluation.kinds.base import seed_of
from evaluation.metrics.common.means import MeanEstimate
from evaluation.metrics.ranking.bootstrap_error import RESAMPLES as DRAWN
from evaluation.metrics.ranking.bootstrap_error import bootstrap_error
from evaluation.metrics.ranking.evaluated import Evaluated
from evaluation.metrics.ranking.measures import RunMeasure, measures
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.qrels.of_study import pools_of, study_qrels
from evaluation.report.compute import code_version
from evaluation.runs.comparing import compared_with, direct
from evaluation.runs.files import LaterRun, ReadRun
from evaluation.runs.report import RunNumbers, RunsReport, runs_report
from evaluation.runs.stored import later_runs
from evaluation.values.sentences import programs
from evaluation.values.wording import digits, percent
from retrieval.corpora.models import Run

MEASURES = measures("nDCG@10,recall@5")
LABELS = ("nDCG@10", "Recall@5")
PARTS = {"bootstrap": "mean", "error": "± s.e.", "value": "value"}
"""Columns of each measure: the two of the bootstrap as BIRCO has them, and our own."""
NO_LOWER = 0.05
MOST_RUNS = 20
"""Runs that stand in one table, the newest of the topics."""
NEEDS = "a study of relevance, and runs on its topics: those stored with its corpus, or rank files"
NO_RUNS = (
    "No run is stored for its topics: manage.py search_corpus makes one, import_run reads one in, and --run "
    "names a rank file."
)


class Best(NamedTuple):
    """Of one measure the run with the highest mean, and those not shown to lie below it."""

    highest: str
    alike: frozenset[str]


def missing(study: Study) -> str:
    """Return why the study cannot fill it."""
    if study.task_type.measure != "ordinal":
        return (
            f"It is of graded documents, and the task “{study.task}” yields {study.task_type.measure} data."
        )
    if not pools_of(study):
        return (
            "Its items come of no pool of a corpus, so no run is known that ranks them; --run names a rank "
            "file."
        )
    return "" if _stored(study) else NO_RUNS


def _stored(study: Study) -> list[Run]:
    """Return the newest runs on the corpora and topics of the study's pools, in the order of their names."""
    places = {(each.corpus_id, each.topics_id) for each in pools_of(study)}
    found = [
        run
        for corpus, topics in sorted(places)
        for run in Run.objects.filter(corpus=corpus, topics=topics).order_by("-pk")[:MOST_RUNS]
    ]
    return sorted(found[:MOST_RUNS], key=lambda each: each.name)


def fill(asked: Asked) -> Filled:
    """The runs on judgments made of the study's grades by the median."""
    try:
        judged = study_qrels(asked.study)
        runs: Sequence[ReadRun | LaterRun] = asked.runs or later_runs(_stored(asked.study))
        if not runs:
            raise BadInput(NO_RUNS)
        found = runs_report(
            judged.made.qrels,
            runs,
            blocks=(MEASURES,),
            level=judged.level,
            most=judged.highest,
            seed=seed_of(asked.study),
            resamples=asked.resamples,
        )
    except BadInput as error:
        raise BadInput(f"{LAYOUT.name} cannot be filled. {error}") from error
    made = f"One grade a document was made of the readers’ grades: {judged.rule}."
    filled = of_runs(found, asked.study.slug, (made,))
    people = len(judged.simulated) < len(judged.readers)
    return filled._replace(warning=programs(judged.simulated, mixed=people) if judged.simulated else "")


def of_runs(found: RunsReport, name: str, notes: Sequence[str] = ()) -> Filled:
    """Return the table of runs that were measured by `MEASURES`; ``name``: of the judgments."""
    best = [_best(found, one) for one in MEASURES]
    columns = (
        Column("run", "", numeric=False),
        *(
            Column(f"{one.slug}_{part}", heading, group=label)
            for one, label in zip(MEASURES, LABELS, strict=True)
            for part, heading in PARTS.items()
        ),
    )
    rows = [Row((Cell(run.name, run.name), *_cells(run, found, best)), name=run.name) for run in found.runs]
    return Filled(
        layout=LAYOUT.name,
        study=name,
        table=table(columns, rows, caption=_caption(found, name)),
        notes=(*_notes(found), *notes),
        seed=found.seed,
        resamples=found.resamples,
        computed=timezone.now(),
        version=code_version(),
    )


def _cells(run: RunNumbers, found: RunsReport, best: Sequence[Best]) -> Iterator[Cell]:
    for one, top in zip(MEASURES, best, strict=True):
        drawn = bootstrap_error(run.evaluated.of(one), found.seed)
        mean = next(each.mean for each in run.means if each.measure.slug == one.slug and not each.facet)
        loud = run.name == top.highest or run.name in top.alike
        if drawn.mean is None or drawn.error is None:
            yield from (Cell(NONE), Cell(""))
        else:
            yield Cell(percent(drawn.mean), drawn.mean, loud=loud)
            yield Cell(f"± {digits(100 * drawn.error, 1)}", drawn.error)
        yield _ours(mean)


def _ours(mean: MeanEstimate) -> Cell:
    if mean.value is None:
        return Cell(NONE, note=mean.reason)
    below = "" if mean.low is None or mean.high is None else f"[{percent(mean.low)}, {percent(mean.high)}]"
    return Cell(percent(mean.value), mean.value, below=below)


def _best(found: RunsReport, one: RunMeasure) -> Best:
    """The highest mean, and the runs whose paired test against it does not say that they lie below.

    None where too little of its first documents was judged: what is not judged may be relevant.
    """
    thin = {each.name for each in found.runs if each.holes and each.holes.too_few}
    runs = [_only(each.evaluated, one) for each in found.runs]
    highest = max(runs, key=lambda each: each.values.mean()).name
    if highest in thin:
        return Best("", frozenset())
    compared, _ = compared_with(
        [(each, None) for each in runs], highest, (one,), found.seed, found.resamples, direct
    )
    alike = (
        each.paired.name for each in compared if each.paired.p > NO_LOWER and each.paired.name not in thin
    )
    return Best(highest, frozenset(alike))


def _only(run: Evaluated, one: RunMeasure) -> Evaluated:
    return run._replace(measures=(one,), values=run.of(one)[None, :])


def _caption(found: RunsReport, name: str) -> str:
    n = len(found.judged.topics)
    return (
        f"nDCG@10 and Recall@5 in percent on {counted(n, 'topic')} of {name}. Mean ± s.e.: mean and standard "
        f"deviation of the means of {DRAWN:,} bootstrap resamples of the topics. Beside them the value over "
        "the "
        f"topics with its 95 % percentile interval of {found.resamples:,} resamples. Both have seed "
        f"{found.seed}. Bold: the highest, and what was not shown to differ from it (p > {NO_LOWER}, paired "
        "test over topics, not corrected for the number of runs); nothing of which too little was judged."
    )


def _notes(found: RunsReport) -> Iterator[str]:
    yield from (f"{one.label}: {one.definition}" for one in MEASURES)
    yield f"Relevant is a grade of {found.judged.level} or more, of 0 to {found.judged.most}."
    lost = [each for each in found.runs if each.evaluated.missing]
    for each in lost:
        topics = counted(len(each.evaluated.missing), "topic")
        yield f"{each.name} lacks {topics}, which count 0."
    thin = [each.name for each in found.runs if each.holes and each.holes.too_few]
    if thin:
        yield f"Too little was judged of what these runs rank first to compare them: {', '.join(thin)}."


LAYOUT = Layout("birco-2", "Table 2", "Systems by nDCG@10 and Recall@5", NEEDS, missing, fill)
