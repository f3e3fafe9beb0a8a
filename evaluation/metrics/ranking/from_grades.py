"""Relevance judgments from the grades of several annotators, by a rule that is named.

    median    the middle grade, of two middle ones the lower
    majority  the grade given most often, of equally frequent ones the lowest
    mean      the mean grade, halves rounded up
    decided   nothing but what an adjudicator decided

A decision stands for the rule's grade wherever there is one. An answer without a grade (can't decide) enters
no rule; a pair of topic and document that has nothing else has no judgment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

Pair = tuple[str, str]
"""A topic and a document."""


class Given(NamedTuple):
    """One annotator's answer.

    ``topic``, ``document``: what it is about.
    ``annotator``: who gave it.
    ``grade``: 0 or more; None where the annotator could not decide.
    """

    topic: str
    document: str
    annotator: str
    grade: int | None


class QrelsOfGrades(NamedTuple):
    """Judgments and what stands behind each.

    ``rule``: the name of the rule.
    ``qrels``: {topic: {document: grade}}, topics and documents sorted.
    ``annotators``: {(topic, document): how many gave a grade}; 0 where only a decision stands.
    ``n_decided``: pairs whose grade is a decision.
    ``n_undecided``: answers without a grade.
    ``left_out``: pairs that have no judgment, sorted.
    """

    rule: str
    qrels: dict[str, dict[str, int]]
    annotators: dict[Pair, int]
    n_decided: int
    n_undecided: int
    left_out: tuple[Pair, ...]


def median(grades: list[int]) -> int:
    """The middle grade, of two middle ones the lower."""
    return sorted(grades)[(len(grades) - 1) // 2]


def majority(grades: list[int]) -> int:
    """The grade given most often, of equally frequent ones the lowest."""
    times = Counter(grades)
    return min(times, key=lambda grade: (-times[grade], grade))


def mean(grades: list[int]) -> int:
    """The mean grade, halves rounded up."""
    return (2 * sum(grades) + len(grades)) // (2 * len(grades))


DECIDED = "decided"
RULES: dict[str, Callable[[list[int]], int] | None] = {
    "median": median,
    "majority": majority,
    "mean": mean,
    DECIDED: None,
}


def qrels_of(
    given: Iterable[Given], rule: str = "median", decisions: Mapping[Pair, int | None] | None = None
) -> QrelsOfGrades:
    """Make one judgment of all grades of a pair.

    ``decisions``: {(topic, document): grade}, which stands over the rule; None where it was decided that
    there is no answer, and the pair is then left out. Raises ValueError for an unknown rule, a grade below 0,
    and two answers of one annotator on one pair.
    """
    if rule not in RULES:
        raise ValueError(f"The rule must be one of {', '.join(RULES)}, not {rule!r}.")
    decided = dict(decisions or {})
    found = _by_pair(given)
    function = RULES[rule]
    judged: dict[Pair, int] = {}
    for pair, answers in found.items():
        grades = [grade for grade in answers.values() if grade is not None]
        if function is not None and grades:
            judged[pair] = function(grades)
    for pair, grade in decided.items():
        if grade is None:
            judged.pop(pair, None)
            continue
        judged[pair] = _checked(*pair, grade)
    qrels: dict[str, dict[str, int]] = {}
    for topic, document in sorted(judged):
        qrels.setdefault(topic, {})[document] = judged[topic, document]
    every = sorted({*found, *decided})
    n_grades = {pair: sum(each is not None for each in found.get(pair, {}).values()) for pair in every}
    return QrelsOfGrades(
        rule,
        qrels,
        {pair: n_grades[pair] for pair in sorted(judged)},
        sum(grade is not None for grade in decided.values()),
        sum(each is None for answers in found.values() for each in answers.values()),
        tuple(pair for pair in every if pair not in judged),
    )


def _by_pair(given: Iterable[Given]) -> dict[Pair, dict[str, int | None]]:
    found: dict[Pair, dict[str, int | None]] = {}
    for topic, document, annotator, grade in given:
        answers = found.setdefault((topic, document), {})
        if annotator in answers:
            raise ValueError(
                f"Annotator {annotator!r} has two answers on topic {topic!r}, document {document!r}: "
                "pass current ones only."
            )
        answers[annotator] = None if grade is None else _checked(topic, document, grade)
    return found


def _checked(topic: str, document: str, grade: int) -> int:
    if grade < 0 or grade != int(grade):
        raise ValueError(
            f"Topic {topic!r}, document {document!r}: a grade must be a whole number from 0 on, not {grade}."
        )
    return int(grade)
