"""RELiC's Table A9: one ranker by the length of the quotation."""

from __future__ import annotations

from django.template.defaultfilters import floatformat

from common.errors import BadInput
from common.tables.table import Cell, Column, Row, table
from evaluation.paper.layouts import ranks
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.ranking.report import rank_report
from evaluation.ranking.values import Group
from retrieval.candidates.outcome import ranker_label


def fill(asked: Asked) -> Filled:
    """The study's own ranking, a length a row."""
    job = ranks.job_of(asked.study)
    found = rank_report(job, resamples=asked.resamples)
    groups = found.of_kind("length")
    if found.problem or not groups:
        raise BadInput(f"{LAYOUT.name} cannot be filled. {found.problem}".rstrip())
    columns = (
        Column("size", "# of sents in quote", numeric=False),
        Column("n_queries", "# instances"),
        *ranks.columns("mean rank"),
        Column("mean_candidates", "avg. # candidates"),
    )
    context = f"{job.parameters.get('left', 4)}/{job.parameters.get('right', 4)}"
    caption = (
        f"{ranker_label(job.ranker)} by the length of the quotation, in sentences, with {context} sentences "
        "of "
        f"context: {found.n_excerpts:,} excerpts of {found.title}. Recall is in percent. {ranks.how(found)}"
    )
    return Filled(
        layout=LAYOUT.name,
        study=asked.study.slug,
        table=table(columns, map(_row, groups), caption=caption),
        notes=(ranks.definitions(groups),),
        seed=found.seed,
        resamples=found.resamples,
        computed=found.computed,
        version=found.version,
        wide=True,
    )


def _row(group: Group) -> Row:
    size = group.label.removesuffix(" sentences").removesuffix(" sentence")
    mean = group.mean_candidates
    return Row(
        (
            Cell(size, group.label),
            Cell(f"{group.n_queries:,}", group.n_queries),
            *ranks.cells(group),
            Cell(floatformat(mean, "1g"), mean),
        ),
        name=group.label,
    )


LAYOUT = Layout(
    "relic-a9", "Table A9", "One ranker by the length of the quotation", ranks.NEEDS, ranks.missing, fill
)
