"""Manjavacas et al.'s Tables 2, 3 and 4: what finds the allusions of the study's spans."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.utils import timezone

from annotation.models import Study
from common.errors import BadInput
from common.tables.table import NONE, Cell, Column, Row, Section, Table
from evaluation.allusion.measuring import Asked as AskedTable
from evaluation.allusion.measuring import table as measured
from evaluation.allusion.sentences import notes
from evaluation.allusion.systems import LEMMAS, ORACLE, WORDS
from evaluation.allusion.values import LABELS, MEASURES, TITLES, AllusionTable
from evaluation.metrics.common.means import MeanEstimate
from evaluation.metrics.ranking.measures import RunMeasure
from evaluation.paper.layouts import manjavacas_1
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.report.compute import code_version
from evaluation.values.wording import percent
from retrieval.corpora.models import Corpus, TopicSet

NEEDS = "a study of spans, topics made of them for a corpus, and runs of the paper’s systems on them"
MADE = (
    "No topics were made of its spans yet: manage.py span_queries makes them, and manage.py allusion_runs "
    "runs "
    "the paper’s systems."
)


def missing(study: Study) -> str:
    """Return why the study cannot fill any of them."""
    return manjavacas_1.missing(study) or ("" if queries(study) else MADE)


def queries(study: Study) -> tuple[Corpus, TopicSet] | None:
    """Return the corpus and the topics that were made of the study's spans last; None without any."""
    made = study.events.filter(verb="export", data__format="topics").order_by("-pk")
    for data in made.values_list("data", flat=True):
        corpus = Corpus.objects.ready().filter(slug=data["corpus"]).first()
        topics = TopicSet.objects.filter(slug=data["topics"]).first()
        if corpus is not None and topics is not None:
            return corpus, topics
    return None


def fill(number: int, asked: Asked) -> Filled:
    """One of the tables, of the runs on the study's own topics."""
    there = queries(asked.study)
    if there is None:
        raise BadInput(f"manjavacas-{number} cannot be filled. {MADE}")
    corpus, topics = there
    seed = int(asked.study.seed) % 2**64
    wanted = AskedTable(corpus, topics, topics.slug, number, printed=False)
    try:
        found = measured(wanted, seed, asked.resamples)
    except BadInput as error:
        raise BadInput(f"manjavacas-{number} cannot be filled. {error}") from error
    return Filled(
        layout=f"manjavacas-{number}",
        study=asked.study.slug,
        table=_laid(found, asked.study),
        notes=tuple(notes(found._replace(compared=()))),
        seed=seed,
        resamples=asked.resamples,
        computed=timezone.now(),
        version=code_version(),
        wide=len(found.columns) > 3,
    )


def _laid(found: AllusionTable, study: Study) -> Table:
    """Measures a section, tokens and lemmata a line each, as the paper has them."""
    columns = (
        Column("metric", "Metric", numeric=False),
        Column("lemma", "Lemma", numeric=False),
        *(Column(each.key, each.label, group=each.group) for each in found.columns),
    )
    n = len(found.judged.topics)
    caption = (
        f"{TITLES[found.number]}: {n:,} {'query' if n == 1 else 'queries'} of {study.title}, searched for in "
        f"{found.corpus}. MRR is the mean of 1/rank of the first right document, P@k the share of queries "
        "with "
        f"one among the first k, in percent; below each its {100 * found.level:.0f} % interval, a percentile "
        f"bootstrap over queries with {found.resamples:,} resamples (seed {found.seed}). Bold is the "
        "highest of "
        f"each measure{_oracle(found)}."
    )
    return Table(columns, tuple(Section(tuple(_rows(found, one))) for one in MEASURES), caption=caption)


def _oracle(found: AllusionTable) -> str:
    return ", the oracle aside" if any(each.key == ORACLE for each in found.columns) else ""


def _rows(found: AllusionTable, one: RunMeasure) -> Iterator[Row]:
    values = [each.mean(one).mean.value for (key, _), each in found.cells.items() if key != ORACLE]
    most = max((value for value in values if value is not None), default=None)
    first = True
    for words in WORDS:
        there = [found.cells.get((each.key, words)) for each in found.columns]
        if not any(there):
            continue
        name = LABELS[one.slug]
        cells = [_cell(each.mean(one).mean if each else None, most) for each in there]
        lemma = Cell("×" if words == LEMMAS else "", words)
        yield Row((Cell(name if first else "", name), lemma, *cells), name=f"{name}, {words}")
        first = False


def _cell(mean: MeanEstimate | None, most: float | None) -> Cell:
    if mean is None or mean.value is None:
        return Cell(NONE, note=mean.reason if mean else "")
    below = "" if mean.low is None or mean.high is None else f"[{percent(mean.low)}, {percent(mean.high)}]"
    return Cell(percent(mean.value), mean.value, below=below, loud=mean.value == most)


LAYOUTS = tuple(
    Layout(f"manjavacas-{number}", f"Table {number}", title, NEEDS, missing, partial(fill, number))
    for number, title in TITLES.items()
)
