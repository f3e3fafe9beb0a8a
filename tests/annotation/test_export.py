"""What leaves the system: every judgment, every revision, pseudonyms only, nothing a spreadsheet runs."""

import csv
import io
import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from psycopg.errors import DiskFull

from annotation.assignment.claiming import next_assignment
from annotation.export import judgments
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Event
from common.errors import BadInput
from tests import builders

NOW = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def said(option=1, **fields):
    return Submission(
        **{"submission": uuid.uuid4(), "outcome": "answer", "data": {"option": option}, **fields}
    )


@pytest.fixture
def study(dora, ada, ben):
    """Ada: item 1, then changed her mind; item 2 undecided. Ben: item 1."""
    study = builders.study(by=dora, items=2, overlap=2)
    builders.rewrite(
        study.items.all(), provenance={"job": 5, "excerpt": 6, "options": [{"first": n} for n in range(3)]}
    )
    a, b = builders.enrolment(study, ada), builders.enrolment(study, ben)
    first = next_assignment(a, now=NOW)
    later = NOW + timedelta(seconds=30)
    submit(first, a, said(0, active_seconds=12.5, note="=1+1"), now=later)
    submit(first, a, said(1, revision=1), now=later)
    submit(next_assignment(a, now=NOW), a, said(outcome="undecided", reason="None of them fits"), now=later)
    submit(next_assignment(b, now=NOW), b, said(1, previews=3), now=later)
    return study


def jsonl(study):
    return [json.loads(line) for line in judgments.lines(judgments.rows(study), "jsonl")]


def test_X02_every_judgment_once_and_the_current_ones_marked(study):
    rows = jsonl(study)
    assert [(r["item"], r["pseudonym"], r["revision"], r["current"]) for r in rows] == [
        (1, "A", 1, False),
        (1, "A", 2, True),
        (1, "B", 1, True),
        (2, "A", 1, True),
    ]
    assert len(rows) == judgments.count(study)


def test_a_row_holds_what_the_statistics_need(study):
    first = jsonl(study)[0]
    item = study.items.get(number=1)
    order = study.assignments.get(annotator__pseudonym="A", item=item).order
    assert first == {
        "study": "fleet",
        "task": "choice",
        "item": 1,
        "item_digest": item.digest,
        "kind": "work",
        "version": 1,
        "replaced": False,
        "place": 1,
        "pseudonym": "A",
        "simulated": False,
        "revision": 1,
        "current": False,
        "outcome": "answer",
        "option": 0,
        "option_text": "Item 1, the first passage.",
        "gold_option": 1,
        "gold_option_text": "Item 1, the second passage.",
        "correct": False,
        "confidence": None,
        "basis": "",
        "reason": "",
        "note": "=1+1",
        "canonical": [{"first": 0}, {"first": 1}, {"first": 2}],
        "shown": order,
        "active_seconds": 12.5,
        "previews": 0,
        "guideline": 1,
        "group_place": None,
        "neighbours": None,
        "consent": None,
        "door": "web",
        "created": "2026-03-29T01:30:30Z",
    }
    assert list(first) == judgments.columns(study)


def test_without_an_answer_the_columns_are_there_and_empty(study):
    last = jsonl(study)[-1]
    assert (last["outcome"], last["reason"]) == ("undecided", "None of them fits")
    assert (last["option"], last["option_text"], last["correct"]) == (None, None, None)
    assert last["gold_option"] == 2


def test_no_name_leaves_the_system(study, ada):
    ada.last_name, ada.email = "Lovelace-Canary", "canary@example.org"
    ada.save()
    for name in judgments.FORMATS:
        text = "".join(judgments.export(study, name, by=None)).lower()
        assert "canary" not in text
        assert '"ada"' not in text


def test_X04_one_query_whatever_the_number(study):
    with CaptureQueriesContext(connection) as queries:
        jsonl(study)
    assert len(queries) == 1


def test_X05_csv_equals_jsonl_but_for_the_apostrophe(study):
    text = "".join(judgments.export(study, "csv", by=None))
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    rows = jsonl(study)
    assert list(table[0]) == judgments.columns(study)
    assert [row["note"] for row in table] == ["'=1+1", "", "", ""]
    for cells, row in zip(table, rows, strict=True):
        assert json.loads(cells["shown"]) == row["shown"]
        assert json.loads(cells["canonical"]) == row["canonical"]
        assert cells["current"] == ("true" if row["current"] else "false")
        assert cells["active_seconds"] == ("" if row["active_seconds"] is None else "12.5")
        assert cells["option"] == ("" if row["option"] is None else str(row["option"]))
        assert cells["created"] == row["created"]


@pytest.mark.parametrize(
    "text",
    ["=cmd|'/c calc'!A1", "+1", "-1+2", "@SUM(A1)", "\tx", "\rx", "\nx", " =1", "\u00a0=1", "＝1", "＋1",
     "\ufeff=1", " " * 99 + "=1"],
)  # fmt: skip
def test_X05_what_a_spreadsheet_would_run_is_neutralised(text):
    line = "".join(judgments.lines([{"note": text}], "csv"))
    assert next(csv.DictReader(io.StringIO(line, newline="")))["note"] == "'" + text


@pytest.mark.parametrize(
    ("value", "cell"),
    [(-0.53, "-0.53"), (-3, "-3"), (0, "0"), (None, ""), (True, "true"), ("— she said", "— she said"),
     ("a=b", "a=b"), ("’tis", "’tis"), ([-1], "[-1]")],
)  # fmt: skip
def test_X05_numbers_and_plain_text_are_untouched(value, cell):
    line = "".join(judgments.lines([{"note": value, "z": 1}], "csv"))
    assert next(csv.DictReader(io.StringIO(line, newline="")))["note"] == cell


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\n", "\r", "\x0b", "\x1e"])
def test_I03_no_character_splits_a_line_of_jsonl(end):
    note = f"before{end}after"
    (line,) = judgments.lines([{"note": note}], "jsonl")
    assert line.splitlines() == [line[:-1]]
    assert json.loads(line)["note"] == note


def test_the_export_is_noted(study, dora):
    list(judgments.export(study, "csv", by=dora))
    event = Event.objects.get(verb="export")
    assert (event.actor, event.data) == (dora, {"format": "csv", "judgments": 4})


def test_an_unknown_format_is_refused_before_the_first_line(study):
    with pytest.raises(BadInput, match="no export format “xls”: use jsonl or csv"):
        judgments.export(study, "xls", by=None)


def test_a_study_without_judgments_has_a_header_only(db):
    study = builders.study("empty")
    assert list(judgments.export(study, "jsonl", by=None)) == []
    (header,) = judgments.export(study, "csv", by=None)
    assert header.startswith("study,task,item,item_digest")


def full(*_, **__):
    raise OperationalError("database or disk is full")


def full_server(*_, **__):
    raise OperationalError("could not extend file") from DiskFull("could not extend file")


@pytest.mark.parametrize("disk", [full, full_server])
def test_O03_an_export_leaves_where_the_record_has_no_room_and_the_log_says_so(
    study, monkeypatch, caplog, disk
):
    expected = jsonl(study)
    monkeypatch.setattr(Event.objects, "create", disk)
    assert [json.loads(line) for line in judgments.export(study, "jsonl", by=None)] == expected
    assert "An export of fleet by None is not in the record" in caplog.text
    assert not Event.objects.filter(verb="export").exists()


def test_an_export_that_cannot_be_recorded_for_another_reason_does_not_leave(study, monkeypatch):
    def locked(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr(Event.objects, "create", locked)
    with pytest.raises(OperationalError):
        judgments.export(study, "jsonl", by=None)
