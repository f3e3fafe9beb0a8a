"""Relevance judgments from the grades of several annotators, by a rule that is named; and how far annotators
call the same documents relevant.

    median    the middle grade, of two middle ones the lower
    majority  the grade given most often, of equally frequent ones the lowest
    mean      the mean grade, halves rounded up
    decided   nothing but what an adjudicator decided

A decision stands for the rule's grade wherever there is one. An answer without a grade (can't decide) enters
no rule; a pair of topic and document that has nothing else has no judgment.

Overlap of relevant sets, |A ∩ B| / |A ∪ B|: Voorhees (2000), Variations in relevance judgments and the
measurement of retrieval effectiveness. Information Processing and Management 36(5).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
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


class Overlap(NamedTuple):
    """How far annotators call the same documents relevant, on pairs that all of them graded.

    ``annotators``: whose sets are laid over each other.
    ``n_pairs``: pairs of topic and document that all of them graded.
    ``n_common``, ``n_any``: of these, relevant to all of them, and to any.
    ``overlap``: n_common / n_any; None where nothing is relevant to anybody.
    ``by_topic``: mean over topics of the same quotient, as Voorhees prints it; None without such a topic.
    ``n_topics``: topics with a document that is relevant to any of them.
    """

    annotators: tuple[str, ...]
    n_pairs: int
    n_common: int
    n_any: int
    overlap: float | None
    by_topic: float | None
    n_topics: int


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


def overlaps(given: Iterable[Given], level: int) -> tuple[Overlap, ...]:
    """The overlap of each two annotators with a common pair, and of all together from three on.

    Raises ValueError as ``qrels_of``, and for a level below 1.
    """
    if level < 1:
        raise ValueError(f"The level of relevance must be 1 or more, not {level}.")
    grades: defaultdict[str, dict[Pair, bool]] = defaultdict(dict)
    for pair, answers in _by_pair(given).items():
        for annotator, grade in answers.items():
            if grade is not None:
                grades[annotator][pair] = grade >= level
    people = sorted(grades)
    groups: list[tuple[str, ...]] = list(combinations(people, 2))
    if len(people) > 2:
        groups.append(tuple(people))
    found = (_overlap(group, [grades[who] for who in group]) for group in groups)
    return tuple(each for each in found if each.n_pairs)


def _overlap(group: tuple[str, ...], relevant: list[dict[Pair, bool]]) -> Overlap:
    common = set(relevant[0]).intersection(*relevant[1:])
    both, either = Counter[str](), Counter[str]()
    for topic, document in common:
        votes = [each[topic, document] for each in relevant]
        both[topic] += all(votes)
        either[topic] += any(votes)
    shares = [both[topic] / either[topic] for topic in sorted(either) if either[topic]]
    n_common, n_any = both.total(), either.total()
    return Overlap(
        group,
        len(common),
        n_common,
        n_any,
        n_common / n_any if n_any else None,
        sum(shares) / len(shares) if shares else None,
        len(shares),
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
