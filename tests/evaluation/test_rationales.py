"""Words that decided in a study's numbers, apparatus and TEI: only readers with one grade are compared."""

from __future__ import annotations

import json
from itertools import combinations
from uuid import UUID

import numpy as np
import pytest

from annotation.models import Judgment
from evaluation.apparatus import tei
from evaluation.apparatus.entries import entries
from evaluation.kinds.apparatus import deepened
from evaluation.metrics.ordinal.rationale import RATIONALE_ALPHA, RATIONALE_OVERLAP, rationales
from evaluation.report import formats
from evaluation.report.compute import report
from evaluation.values.readings import Piece
from tests.evaluation import relevant
from tests.evaluation.judged import NOW


def compared(answers, n_items, length=12, q=3, topic=None):
    """Answers (item, reader, grade, spans) as the measures take them."""
    item, reader, grade, spans = zip(*answers, strict=True) if answers else ((), (), (), ())
    given = np.bincount(np.array(grade, dtype=int), minlength=q)
    cluster = np.arange(n_items) if topic is None else np.array(topic)
    each = [np.array(one, dtype=np.int64) for one in (item, reader, grade)]
    return rationales(*each, spans, np.full(n_items, length), given, cluster, seed=7, resamples=200)


def slow_overlap(answers):
    """The mean over all pairs, word by word."""
    words = [{word for first, end in each[3] for word in range(first, end)} for each in answers]
    pairs = [
        len(words[a] & words[b]) / len(words[a] | words[b])
        for a, b in combinations(range(len(answers)), 2)
        if answers[a][0] == answers[b][0] and answers[a][2] == answers[b][2]
    ]
    return (sum(pairs) / len(pairs), len(pairs)) if pairs else (None, 0)


def test_only_readers_with_one_grade_on_an_item_are_compared():
    answers = [
        (0, 0, 2, [[0, 4]]), (0, 1, 2, [[2, 6]]), (0, 2, 1, [[0, 4]]),
        (1, 0, 0, [[1, 2], [5, 9]]), (1, 1, 0, [[1, 2], [5, 9]]),
        (2, 0, 1, [[3, 4]]),
    ]  # fmt: skip
    found = compared(answers, 3)
    overlap, alpha = found.estimates
    assert overlap.value == pytest.approx((2 / 6 + 1) / 2)
    assert (overlap.n_items, found.n_pairs.tolist()) == (2, [1, 0, 1])
    assert found.overlap[2] == pytest.approx(1 / 3)
    assert np.isnan(found.overlap[1])
    assert (found.n_marked.tolist(), found.median_words[0]) == ([2, 2, 2], 5)
    assert alpha.value is not None
    assert alpha.value < 1


@pytest.mark.parametrize("seed", range(25))
def test_the_overlap_is_that_of_a_slow_count(seed):
    draw = np.random.default_rng(seed)
    answers = []
    for item in range(4):
        for reader in range(3):
            cuts = np.sort(draw.choice(13, size=4, replace=False)).tolist()
            spans = [cuts[:2], cuts[2:]][: int(draw.integers(1, 3))]
            answers.append((item, reader, int(draw.integers(0, 2)), spans))
    value, n = slow_overlap(answers)
    found = compared(answers, 4)
    assert int(found.n_pairs.sum()) == n
    assert found.estimates[0].value == (None if value is None else pytest.approx(value))


def test_same_marks_are_1_nothing_compared_has_no_value_and_topics_are_left_out_whole():
    same = [(item, reader, 1, [[item, item + 2]]) for item in range(6) for reader in range(2)]
    overlap, alpha = compared(same, 6, topic=[0, 0, 1, 1, 2, 2]).estimates
    assert (overlap.value, alpha.value) == (1, 1)
    alone = compared([(0, 0, 1, [[0, 2]]), (0, 1, 2, [[0, 2]])], 1).estimates
    assert [each.value for each in alone] == [None, None]
    assert all(each.reason for each in alone)
    assert [each.value for each in compared([], 2).estimates] == [None, None]
    mixed = [
        (item, reader, 1, [[item, item + 2 + reader * (item % 3)]])
        for item in range(6)
        for reader in range(2)
    ]
    over = compared(mixed, 6, topic=[0, 0, 1, 1, 2, 2]).estimates[0]
    assert over.low < over.value < over.high
    assert "over topics" in over.method


def test_a_passage_is_cut_where_marks_begin_and_end():
    found = deepened([Piece("abc"), Piece("def", in_lemma=True)], [((1, 4),), ((2, 3), (4, 5))])
    assert [(each.text, each.depth) for each in found] == [
        ("a", 0), ("b", 2), ("c", 4), ("d", 2), ("e", 2), ("f", 0),
    ]  # fmt: skip
    assert found[-1].in_lemma
    assert deepened([Piece("abc")], []) == (Piece("abc"),)


@pytest.fixture
def study(dora):
    """Three topics of two documents; both readers mark "lamps" where they grade 3, one of them more."""
    votes = {(f"t{t}", f"d{d}"): ("33", "31")[d == 2] for t in (1, 2, 3) for d in (1, 2)}
    made = relevant.judged(votes, by=dora, rationale="optional", names=["Ada", "Ben"])
    words = [[0, 9], [4, 9]]
    for each in Judgment.objects.select_related("assignment__study").filter(number_1=3):
        place = each.assignment.slot - 1
        answer = {"grade": 3, "rationale": [words[place]]}
        Judgment.objects.bulk_create([
            Judgment(
                assignment=each.assignment, annotator=each.annotator, revision=2, outcome="answer",
                channel="web", answer=answer, submission=UUID(int=each.pk), created=NOW,
            )
        ])  # fmt: skip
    return made


@pytest.mark.django_db
def test_the_report_has_two_measures_a_table_and_a_sentence(study):
    found = report(study, now=NOW)
    line = found.line(RATIONALE_OVERLAP.slug).estimate
    assert (line.value, line.n_items) == (pytest.approx(1 / 2), 3)
    assert found.line(RATIONALE_ALPHA.slug).estimate.value is not None
    told = json.loads(formats.FORMATS["json"].render(found))["grades"]["rationales"]
    assert [each["marked"] for each in told] == [0, 0, 0, 9, 0]
    assert (told[3]["pairs"], told[3]["overlap"]) == (3, 0.5)
    assert "rationale_marked_of_3,,9" in formats.FORMATS["csv"].render(found)
    text = " ".join(formats.FORMATS["table"].render(found).split())
    assert "Words that decided are marked in 9 of 12 grades (75.0 %)" in text
    assert "marked the same words to 50.0 %" in text


@pytest.mark.django_db
def test_a_study_that_asks_for_none_says_nothing_of_them(dora):
    found = report(relevant.judged({("t1", "d1"): "33"}, by=dora), now=NOW)
    assert found.line(RATIONALE_OVERLAP.slug) is None
    assert json.loads(formats.FORMATS["json"].render(found))["grades"]["rationales"] is None
    assert "ecided are marked" not in formats.FORMATS["table"].render(found)


@pytest.mark.django_db
def test_the_apparatus_shows_what_each_reader_marked_in_the_document(study, as_user, dora):
    first = next(entries(study))
    assert [(each.words) for each in first.rationales] == [("The lamps",), ("lamps",)]
    assert [(each.text, each.depth) for each in first.pieces][:3] == [
        ("The ", 2), ("lamps", 4), (" of d1 stood on the wall.", 0),
    ]  # fmt: skip
    page = as_user(dora).get(f"/results/{study.slug}/apparatus/1/").text
    assert "Words that decided" in page
    assert "“The lamps”" in page
    document = "".join(tei.lines(study))
    assert document.count('<note type="rationale" resp="#') == 9
    assert "<quote>The lamps</quote>" in document
