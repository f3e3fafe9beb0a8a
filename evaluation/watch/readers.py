"""Each reader of a running study in one row: work, agreement with the others, accuracy, checks, habits."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from annotation.models import Judgment, Kind, Outcome, Role, Study
from common.tables.table import Cell
from evaluation.kinds.answers import Reader
from evaluation.values.live import Seen
from evaluation.values.wording import NONE, digits, percent


class Held(NamedTuple):
    """The assignments of one reader by how they stand.

    ``done``: judged; ``held``: claimed and not yet judged, of them ``put_off`` for later and ``lapsed``,
    whose lease has run out.
    """

    done: int = 0
    held: int = 0
    put_off: int = 0
    lapsed: int = 0


class ReaderRow(NamedTuple):
    """One reader, worded.

    ``pseudonym``: the only name that is printed.
    ``simulated``: whether it is a program.
    ``held``: assignments.
    ``with_others``: agreement with the others, over ``n_pairs`` pairs of answers.
    ``accuracy``, ``interval``: against gold.
    ``checks``: check items right of those judged.
    ``undecided``: the share of “can't decide”.
    ``n_broken``: how many items were said to be broken.
    ``seconds``: the median of active seconds an answer.
    ``habits``: cells that only this kind of data has.
    """

    pseudonym: str
    simulated: bool
    held: Held
    with_others: str
    n_pairs: int
    accuracy: str
    interval: str
    checks: str
    undecided: str
    n_broken: int
    seconds: str
    habits: tuple[Cell, ...]


def reader_rows(
    study: Study, readers: list[Reader], seen: Seen | None, held: dict[int, Held], n_habits: int
) -> tuple[ReaderRow, ...]:
    """The annotators in the order in which they joined. `n_habits`: headings that this kind of data adds."""
    with_others = {each.annotator: each for each in seen.with_others} if seen else {}
    right = {each.annotator: each for each in seen.accuracies} if seen else {}
    habits, none = seen.habits if seen else {}, (Cell(NONE),) * n_habits
    checks = check_items(study)
    rows = []
    for who, reader in enumerate(readers):
        agreement, known = with_others.get(who), right.get(who)
        rows.append(
            ReaderRow(
                pseudonym=reader.pseudonym,
                simulated=reader.simulated,
                held=held.get(reader.key, Held()),
                with_others=share(agreement.agreement if agreement else None),
                n_pairs=agreement.n_pairs if agreement else 0,
                accuracy=share(known.value if known else None),
                interval=bounds(known.low, known.high) if known else "",
                checks=said(*checks[reader.key]) if reader.key in checks else NONE,
                undecided=undecided(reader),
                n_broken=reader.outcomes[Outcome.BROKEN],
                seconds=NONE if reader.median_seconds is None else digits(reader.median_seconds, 0),
                habits=habits.get(who, none),
            )
        )
    return tuple(rows)


def check_items(study: Study) -> dict[int, tuple[int, int]]:
    """By reader: check items right, and check items judged. Whoever could not decide was not right."""
    rows = Judgment.objects.current().filter(
        item__study=study, item__kind=Kind.CHECK, annotator__role=Role.ANNOTATOR
    )
    right: Counter[int] = Counter()
    judged: Counter[int] = Counter()
    for who, answer, gold in rows.order_by().values_list("annotator_id", "answer", "item__gold"):
        judged[who] += 1
        right[who] += bool(answer is not None and study.task_type.is_correct(answer, gold))
    return {who: (right[who], n) for who, n in judged.items()}


def undecided(reader: Reader) -> str:
    return share(reader.outcomes[Outcome.UNDECIDED] / reader.judged) if reader.judged else NONE


def said(right: int, judged: int) -> str:
    return f"{right} of {judged}"


def share(value: float | None) -> str:
    return NONE if value is None else f"{percent(value)} %"


def bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{percent(low)}, {percent(high)}]"
