"""RELiC's Table 3: rankers on a book, machine readers on the study's items, and people beside them.

The proxy task is the study itself: choosing the quotation among an item's options. A ranker has a number
there where it answered the items as a machine reader; people's is the majority's, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import MachineReader, Origin, Study
from common.errors import BadInput
from common.tables.table import NONE, Cell, Column, Row, Section, Table
from common.wording import counted
from evaluation.metrics.machines.likeness import MeanLikeness
from evaluation.metrics.nominal.accuracy import INDIVIDUAL, MAJORITY
from evaluation.paper.layouts import ranks
from evaluation.paper.values import Asked, Filled, Layout
from evaluation.ranking.report import rank_report
from evaluation.ranking.tables import random_row
from evaluation.ranking.values import RankReport
from evaluation.report.compute import report
from evaluation.report.sentences import warning
from evaluation.values.beside import MachineColumn
from evaluation.values.report import Report
from evaluation.values.wording import percent
from retrieval.candidates.outcome import ranker_label
from retrieval.models import CandidateJob, Status

MOST_RANKERS = 12
"""Jobs of the book that are shown, the study’s own first and then the newest."""
CHOSE = "It chose the wrong passages, so what it makes of them itself says nothing of it."
Rank = tuple[CandidateJob, RankReport]


def missing(study: Study) -> str:
    """Return why the study cannot fill it."""
    if not study.task_type.orders_options:
        return f"It is of choices among passages; readers of the task “{study.task}” choose among none."
    return ranks.missing(study)


def fill(asked: Asked) -> Filled:
    """Every ranker that has ranked the book, every machine reader, and people."""
    found = report(asked.study, resamples=asked.resamples)
    ranked = [(job, rank_report(job, resamples=asked.resamples)) for job in jobs(asked.study)]
    ranked = [each for each in ranked if each[1].of_kind("all")]
    if not ranked:
        raise BadInput(f"{LAYOUT.name} cannot be filled: no ranker has ranked an excerpt of the book.")
    machines = found.beside.machines if found.beside else ()
    rankers = dict(_rankers(asked.study))
    columns = (
        Column("model", "Model", numeric=False),
        Column("context", "L/R", numeric=False),
        *ranks.columns("Avg rank (↓)"),
        Column("proxy", "Proxy task acc (↑)"),
    )
    own = ranked[0]
    mine = {rankers.get(each.name, ""): each for each in machines}
    sections = [Section((_random(own, found), *(_ranker(each, own[0], mine) for each in ranked)), "Rankers")]
    named = {job.ranker for job, _ in ranked}
    rest = tuple(_machine(each) for each in machines if rankers.get(each.name, "") not in named)
    if rest:
        sections.append(Section(rest, "Machine readers, on the study’s items alone"))
    sections.append(Section((_people(found),), "Readers of the study"))
    return Filled(
        layout=LAYOUT.name,
        study=found.slug,
        table=Table(columns, tuple(sections), caption=_caption(ranked, found)),
        notes=tuple(_notes(ranked, found)),
        seed=found.seed,
        resamples=found.resamples,
        computed=found.computed,
        version=found.version,
        warning=warning(found),
        wide=True,
    )


def jobs(study: Study) -> list[CandidateJob]:
    """Return the study's job and the newest other of each ranker and context on its book."""
    own = ranks.job_of(study)
    found = {_key(own): own}
    for job in CandidateJob.objects.filter(book=own.book_id, status=Status.DONE).order_by("-pk"):
        if not job.parameters.get("pool"):
            found.setdefault(_key(job), job)
    return list(found.values())[:MOST_RANKERS]


def _key(job: CandidateJob) -> tuple[str, str, str]:
    return job.ranker, job.checkpoint, _context(job)


def _context(job: CandidateJob) -> str:
    return f"{job.parameters.get('left', 4)}/{job.parameters.get('right', 4)}"


def _rankers(study: Study) -> Iterator[tuple[str, str]]:
    """Which ranker each machine reader is, by its name; of those whose answers a ranker of ours gave."""
    rows = MachineReader.objects.filter(study=study, origin=Origin.RANKER).select_related("answer_file")
    for each in rows:
        yield each.name, str(each.answer_file.details.get("ranker", "")).partition(":")[0]


def _random(own: Rank, found: Report) -> Row:
    row = random_row(own[1].of_kind("all")[0])
    by_chance = found.line(INDIVIDUAL.slug)
    chance = by_chance.chance if by_chance else None
    cells = row.cells[2 : 2 + len(ranks.RECALLS) + 1]
    last = Cell(NONE if chance is None else percent(chance), chance)
    return Row((Cell("random", "random"), Cell(""), *cells, last), aside=True, name="random")


def _ranker(each: Rank, own: CandidateJob, mine: dict[str, MachineColumn]) -> Row:
    job, found = each
    name, context = ranker_label(job.ranker), _context(job)
    numbers = ranks.cells(found.of_kind("all")[0])
    return Row(
        (Cell(name, name), Cell(context, context), *numbers, _proxy(job, own, mine)), name=f"{name} {context}"
    )


def _proxy(job: CandidateJob, own: CandidateJob, mine: dict[str, MachineColumn]) -> Cell:
    """How often a ranker that answered the study’s items was right; none of the one that made them hard."""
    if job.ranker == own.ranker:
        return Cell(NONE, note=CHOSE if job.pk == own.pk else "")
    return _accuracy(mine[job.ranker].gold) if job.ranker in mine else Cell(NONE)


def _machine(each: MachineColumn) -> Row:
    return Row(
        (
            Cell(f"{each.name}, {each.title}", each.name),
            Cell(NONE),
            *ranks.dashes(NONE),
            _accuracy(each.gold),
        ),
        name=each.name,
    )


def _people(found: Report) -> Row:
    line = found.line(MAJORITY.slug)
    if line is None or line.estimate.value is None:
        last = Cell(NONE, note=found.problem or (line.estimate.reason if line else ""))
    else:
        estimate = line.estimate
        last = Cell(
            percent(line.estimate.value), estimate.value, below=_interval(estimate.low, estimate.high)
        )
    name = "Readers, majority" if not found.simulated else "Readers (simulated), majority"
    return Row((Cell(name, "readers"), Cell(NONE), *ranks.dashes(NONE), last), name="readers")


def _accuracy(found: MeanLikeness) -> Cell:
    if found.value is None:
        return Cell(NONE)
    return Cell(percent(found.value), found.value, below=_interval(found.low, found.high))


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def _caption(ranked: list[Rank], found: Report) -> str:
    numbers = sorted({each.n_excerpts for _, each in ranked})
    excerpts = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
    own = ranked[0][1]
    mean = own.of_kind("all")[0].mean_candidates
    return (
        f"Rankers by context (L/R: sentences left and right of the missing quotation) on {excerpts} "
        "excerpts of "
        f"{own.title}; recall@k and accuracy in percent. There are {mean:,.0f} candidates an excerpt on "
        f"average. The proxy task is the study: {counted(found.n_judged, 'item')}, each with "
        f"{found.n_options or 'several'} options. {ranks.how(own, 'each recall and rank')}"
    )


def _notes(ranked: list[Rank], found: Report) -> Iterator[str]:
    yield ranks.definitions(ranked[0][1].of_kind("all"))
    yield (
        f"Accuracy on the proxy task: of machines the share of items they answered rightly; of readers "
        f"{MAJORITY.definition[:1].lower()}{MAJORITY.definition[1:]}{_methods(found)}"
    )
    if len({each.n_excerpts for _, each in ranked}) > 1:
        told = "; ".join(
            f"{ranker_label(job.ranker)} {_context(job)}: {each.n_excerpts:,}" for job, each in ranked
        )
        yield f"The rankers ranked unequal numbers of excerpts, so rows are not on the same ones: {told}."
    if found.beside:
        yield from (
            f"Answers of {each.name} were read in: {each.read_in}."
            for each in found.beside.machines
            if each.read_in
        )


def _methods(found: Report) -> str:
    """How the intervals of the last column were made."""
    line = found.line(MAJORITY.slug)
    machines = found.beside.machines if found.beside else ()
    said = [*([line.estimate.method] if line else []), *(each.gold.method for each in machines)]
    known = "; ".join(dict.fromkeys(filter(None, said)))
    return f" Their intervals: {known}." if known else ""


LAYOUT = Layout(
    "relic-3",
    "Table 3",
    "Rankers by context, and readers on the proxy task",
    f"{ranks.NEEDS}; the last column needs readers, and machine readers that answered the same items",
    missing,
    fill,
)
