"""What is read of the database: numbers as texts, orders behind one another, and what is no number."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Judgment, Outcome
from evaluation.kinds.answers import OUTCOMES, read_items, read_readers, read_rows
from evaluation.kinds.columns import Unreadable, numbers
from evaluation.report.compute import report
from tests.evaluation.judged import judged, row
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db
VOTES = ["gxy", "g.u", "bgg", "xxg"]
SPANS = [[(8, 9), (6, 10), "u"], ["n", (8, 9), (8, 9)]]
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="words of SQLite's plans")


def test_numbers_of_a_joined_column():
    assert numbers("3,-1,20").tolist() == [3, -1, 20]
    assert numbers("").tolist() == []


@pytest.mark.parametrize(("text", "odd"), [("1,two,3", "two"), ("1.5", "1.5")])
def test_what_is_no_whole_number_is_named(text, odd):
    with pytest.raises(Unreadable, match=rf"holds '{odd}' where a whole number must stand"):
        numbers(text)


def test_an_answer_without_a_number_is_a_sentence_not_a_crash():
    study = judged(["ggg", "gg."])
    free = Assignment.objects.get(study=study, item__number=2, slot=3)
    odd = row(free, study.enrolments.get(pseudonym="C"), "g")
    odd.answer = {"option": "two"}
    odd.save()
    assert report(study).problem.startswith(("An answer holds 'two'", "The judgments do not fit the items"))


def test_times_are_medians_of_current_answers_only():
    study = judged(["ggg", "ggu"])
    last = Judgment.objects.filter(annotator__pseudonym="C").order_by("pk").last()
    assert last.active_seconds is not None
    assert [each.median_seconds for each in report(study).readers] == [20.0, 21.0, 22.0]


def test_rows_are_what_the_judgments_say_however_they_are_grouped():
    study = judged(VOTES)
    items = read_items(study, few=("categories", "gold_1"))
    assert items["id"].tolist() == list(study.items.order_by("number").values_list("pk", flat=True))
    assert items["categories"].tolist() == [3] * 4
    assert items["gold_1"].tolist() == [item.gold["option"] for item in study.items.order_by("number")]
    wanted = items["id"][[0, 2, 3]]
    readers = read_readers(study)
    places = {each.key: number for number, each in enumerate(readers)}
    current = Judgment.objects.current().filter(item__in=wanted.tolist())
    said = sorted(
        (
            wanted.tolist().index(each.item_id),
            places[each.annotator_id],
            OUTCOMES.index(each.outcome),
            -1 if each.number_1 is None else each.number_1,
            -1 if each.position is None else each.position,
        )
        for each in current
    )
    grouped, told = read_rows(readers, wanted, few=("number_1", "position"))
    listed, _ = read_rows(readers, wanted, "number_1", "position")
    for rows in (grouped, listed):
        columns = (rows.item, rows.reader, rows.outcome, *rows.parts)
        assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == said
    assert sum(reader.judged for reader in told) == len(said) < Judgment.objects.count()
    assert sum(reader.outcomes[Outcome.BROKEN] for reader in told) == 1


def test_items_far_apart_are_found_as_well():
    study = judged(["gxy", "ggg"])
    readers, keys = read_readers(study), read_items(study)["id"]
    near, _ = read_rows(readers, keys, few=("number_1",))
    far, _ = read_rows(readers, np.append(keys, 10**12), few=("number_1",))
    assert sorted(near.item.tolist()) == [0, 0, 0, 1, 1, 1]
    assert far.item.tolist() == near.item.tolist()
    none, told = read_rows(readers, np.array([10**12]), few=("number_1",))
    assert none.item.tolist() == []
    assert not any(reader.judged for reader in told)


@on_sqlite
@pytest.mark.parametrize("make", [lambda: judged(VOTES), lambda: marked(*SPANS)], ids=["choices", "spans"])
def test_a_report_reads_indexes_in_their_order_and_sorts_nothing(make):
    study = make()
    with CaptureQueriesContext(connection) as queries:
        report(study)
    counting = [each["sql"] for each in queries if "GROUP_CONCAT" in each["sql"]]
    assert len(counting) == 2
    for sql in counting:
        plan = plan_of(sql)
        assert "USING COVERING INDEX" in plan
        assert "TEMP B-TREE" not in plan


@on_sqlite
def test_gold_answers_without_a_span_are_counted_in_their_index():
    study = marked(*SPANS, gold=[(8, 9), "n"])
    with CaptureQueriesContext(connection) as queries:
        assert report(study).found.n_gold_none == 1
    asked = [each["sql"] for each in queries if '"gold" IS NOT NULL' in each["sql"]]
    assert len(asked) == 1
    assert "INDEX item_gold_is_none" in plan_of(asked[0])


def plan_of(sql):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "; ".join(row[-1] for row in cursor.fetchall())


def test_first_judgments_are_read_in_no_order_and_without_the_tables_of_one():
    query = str(Judgment.objects.first_of_revised([1, 2]).values_list("annotator", "item", "pk").query)
    assert "annotation_judgment" in query
    for told in ("ORDER BY", "JOIN", "annotation_study"):
        assert told not in query
