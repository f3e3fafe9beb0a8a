"""Stored runs → the paper's Tables 2, 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from common.errors import BadField, BadInput
from evaluation.allusion import columns, ranks, systems
from evaluation.allusion.columns import Place
from evaluation.allusion.oracle import oracle
from evaluation.allusion.systems import ORACLE, TITLE, WORDS, Chosen, Recognised
from evaluation.allusion.values import MEASURES, AllusionTable, Measured, best
from evaluation.metrics.common.intervals import RESAMPLES
from evaluation.metrics.ranking.compared import Difference
from evaluation.metrics.ranking.evaluated import run_means
from evaluation.metrics.ranking.graded import Judgments, judgments
from evaluation.runs.comparing import compared_with, direct
from evaluation.runs.stored import qrels_of, read_qrels
from retrieval.corpora.loading.topics import current
from retrieval.corpora.models import Corpus, Qrels, Run, TopicSet

NUMBERS = (2, 3, 4)
Cells = dict[tuple[str, str], Measured]


class Asked(NamedTuple):
    """Which table is asked for.

    corpus, topics, qrels: what was searched, asked and judged; `qrels` is the name of the judgments.
    number: 2, 3 or 4.
    wordings: of the queries: one for tables 2 and 3, some for table 4; empty: the usual ones.
    vectors: the name of the word vectors where runs have several; empty: those of most runs.
    system: of table 4; empty: the best on the usual queries.
    base: the column that others are compared with, as `key` or `key:tokens`; empty: the best.
    printed: whether the paper's values stand beside.
    """

    corpus: Corpus
    topics: TopicSet
    qrels: str
    number: int
    wordings: tuple[str, ...] = ()
    vectors: str = ""
    system: str = ""
    base: str = ""
    printed: bool = True


class Found(NamedTuple):
    """What is read for a table.

    qrels: the judgments.
    runs: of the systems.
    seed, resamples: of intervals and tests.
    """

    qrels: Qrels
    runs: Chosen
    seed: int
    resamples: int


def table(asked: Asked, seed: int = 0, resamples: int = RESAMPLES) -> AllusionTable:
    """Measure the runs of one table and compare them.

    Raises:
        BadInput: there are no judgments or runs for it, or what was asked for is not among them.
    """
    qrels = qrels_of(asked.corpus, asked.qrels, asked.topics)
    runs = systems.chosen(Run.objects.filter(corpus=asked.corpus, topics=asked.topics).order_by("pk"))
    if not runs.runs:
        raise BadInput(
            f'No run of "{asked.topics.slug}" in "{asked.corpus.slug}" is one of the paper’s systems; '
            "manage.py allusion_runs makes them."
        )
    found = Found(qrels, runs, seed, resamples)
    if asked.number == 4:
        return _by_wording(asked, found)
    wording = columns.usual_wording(runs, _one(asked.wordings))
    if asked.number == 3:
        return _made(asked, found, columns.of_relations(runs, wording), (wording,))
    return _made(asked, found, columns.of_systems(runs, wording, asked.vectors), (wording,))


def tables(
    asked: Asked, numbers: Sequence[int] = (), seed: int = 0, resamples: int = RESAMPLES
) -> tuple[list[AllusionTable], list[str]]:
    """Measure several tables; return them, and why others could not be made.

    numbers: of the tables; none for all that there are runs for. `asked` says the rest; what it says of
    wordings holds for tables 2 and 3 where it names one, and for table 4.

    Raises:
        BadInput: a table that was asked for by its number cannot be made, or none at all.
    """
    found, missing = [], []
    for number in numbers or NUMBERS:
        several = number != 4 and len(asked.wordings) > 1
        wanted = asked._replace(number=number, wordings=() if several else asked.wordings)
        try:
            found.append(table(wanted, seed, resamples))
        except BadInput as error:
            if numbers:
                raise
            missing.append(f"Table {number}: {error}")
    if not found:
        raise BadInput(" ".join(missing))
    return found, missing


def _one(wordings: Sequence[str]) -> str:
    if len(wordings) > 1:
        raise BadField("wording", "Tables 2 and 3 have queries of one wording; table 4 compares several.")
    return wordings[0] if wordings else ""


def _by_wording(asked: Asked, found: Found) -> AllusionTable:
    one = systems.system(asked.system or _best(asked, found))
    places = columns.of_wordings(found.runs, one, asked.wordings, asked.vectors)
    wordings = tuple(each.column.key for each in places)
    return _made(asked, found, places, wordings)._replace(system=one.label)


def _best(asked: Asked, found: Found) -> str:
    """The system of the highest MRR on the usual queries."""
    wording = columns.usual_wording(found.runs)
    places = columns.of_systems(found.runs, wording, asked.vectors)
    judged, _ = _judged(asked.topics, found.qrels, (wording,), _need_lemmas(places))
    cells = _cells(found._replace(resamples=0), judged, places)
    first = best(cells)
    return next((key for (key, _), each in cells.items() if each is first), "sc-emb")


def _made(asked: Asked, found: Found, places: Sequence[Place], wordings: tuple[str, ...]) -> AllusionTable:
    judged, left_out = _judged(asked.topics, found.qrels, wordings, _need_lemmas(places))
    cells = _cells(found, judged, places)
    if not cells:
        raise BadInput(f"There is no run for table {asked.number}; manage.py allusion_runs makes them.")
    base = _base(asked.base, places, cells)
    return AllusionTable(
        number=asked.number,
        corpus=asked.corpus.slug,
        topics=asked.topics.slug,
        qrels=found.qrels.name,
        columns=tuple(each.column for each in places),
        cells=cells,
        judged=judged,
        left_out=left_out,
        wordings=wordings,
        system="",
        base=base,
        picked=not asked.base,
        compared=_compared(found, cells, base),
        passed_over=found.runs.passed_over,
        searched=found.runs.searched,
        printed=asked.printed,
        seed=found.seed,
        resamples=found.resamples,
    )


def _need_lemmas(places: Sequence[Place]) -> bool:
    return any(each.own_lemmas for place in places for runs in place.runs.values() for each in runs)


def _judged(topics: TopicSet, qrels: Qrels, wordings: Sequence[str], lemmas: bool) -> tuple[Judgments, int]:
    """The judgments of queries that have all of these wordings, and how many queries have not.

    `lemmas`: whether they need lemmas of their own, too. Raises `BadField` where none has.
    """
    given = read_qrels(qrels)
    rows = current(topics).values_list("topic__external_id", "wordings")
    needed = [each for each in wordings if each != TITLE]
    part = "lemmas" if lemmas else "text"
    whole = {topic for topic, there in rows if all(there.get(name, {}).get(part) for name in needed)}
    kept = {topic: grades for topic, grades in given.items() if topic in whole}
    if not kept:
        raise BadField(
            "wording", f"No query with judgments has all of these wordings: {', '.join(wordings)}."
        )
    try:
        return judgments(kept), len(given) - len(kept)
    except ValueError as error:
        raise BadInput(str(error)) from None


def _cells(found: Found, judged: Judgments, places: Sequence[Place]) -> Cells:
    """Every run measured, by column and words; each run is read once."""
    keys = ranks.judged_keys(found.qrels)
    read: dict[int, ranks.Ranks] = {}
    cells: Cells = {}
    for place in places:
        for words in WORDS:
            runs = place.runs.get(words, ())
            for each in runs:
                if each.run.pk not in read:
                    read[each.run.pk] = ranks.ranks(each.run, keys)
            if runs:
                ranked = [read[each.run.pk] for each in runs]
                whole = oracle(*ranked) if place.column.key == ORACLE else ranked[0]
                cells[place.column.key, words] = _measured(
                    f"{place.column.label}, {words}", whole, judged, runs, found
                )
    return cells


def _measured(
    name: str, ranked: ranks.Ranks, judged: Judgments, runs: Sequence[Recognised], found: Found
) -> Measured:
    evaluated = ranks.evaluated(name, ranked, judged, MEASURES)
    return Measured(
        run=" + ".join(each.run.name for each in runs),
        vectors=runs[-1].vectors,
        depth=min(each.run.depth for each in runs),
        odd=tuple(dict.fromkeys(name for each in runs for name in each.odd)),
        evaluated=evaluated,
        means=run_means(evaluated, found.seed, found.resamples),
    )


def _base(asked: str, places: Sequence[Place], cells: Mapping[tuple[str, str], Measured]) -> str:
    """The name of what others are compared with. Raises `BadField` where it was not run."""
    if not asked:
        first = best(cells)
        return first.evaluated.name if first else ""
    key, _, words = asked.rpartition(":")
    wanted = [(key, words)] if words in WORDS else [(asked, each) for each in reversed(WORDS)]
    for each in wanted:
        if each in cells:
            return cells[each].evaluated.name
    names = ", ".join(":".join(each) for each in cells)
    raise BadField("base", f"“{asked}” is no column with a run; there are: {names}.")


def _compared(found: Found, cells: Mapping[tuple[str, str], Measured], base: str) -> tuple[Difference, ...]:
    """Every system minus the base. The oracle is compared with nothing: it knows the answers."""
    rows = [(each.evaluated, None) for (key, _), each in cells.items() if key != ORACLE]
    if len(rows) < 2 or not base or base.startswith("T+WMD (oracle)"):
        return ()
    compared, _ = compared_with(rows, base, MEASURES, found.seed, found.resamples, direct)
    return compared
