"""A data set reads back: the same bytes when it is written again, and the same report."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest

from annotation.dataset.read import read_dataset
from annotation.dataset.write import write_dataset
from annotation.machine.imported.storing import About, import_answers
from annotation.models import Consent, Decision, Event, Judgment, Outcome, Role, Study
from annotation.people.withdrawal import erase
from annotation.studies.running.stopping import DIFFERENCE, Rule
from evaluation.paper.methods.facts import facts
from evaluation.report.compute import report
from evaluation.report.data import data
from evaluation.stopping.taking import take
from tests import builders
from tests.evaluation import graded, judged, marked, relevant, rubrics
from tests.evaluation.judged import NOW
from tests.evaluation.machines import read_by_machine

pytestmark = pytest.mark.django_db


def choice(by) -> Study:
    """With every kind of row: gold, excerpts of a job, revisions, decisions, a withdrawal, a model."""
    study = judged.judged(["gxg", "gu.", "xbg", "ggy"], by=by)
    of, critic = builders.book(), builders.source()
    one = builders.excerpt(of, critic)
    job = builders.finished_job(of, [one])
    study.job = job
    study.save()
    options = [
        {"first": n, "size": 1, "rank": n + 1, "scores": {"bm25": 2.5}, "is_gold": n == 0} for n in range(3)
    ]
    first = study.items.get(number=1)
    first.provenance, first.excerpt = {"job": job.pk, "excerpt": one.pk, "options": options}, one
    first.save()
    Consent.objects.create(study=study, version=1, text="Do you agree?\nYes.")
    assignment = study.assignments.filter(annotator__isnull=False).select_related("item").first()
    judged.row(assignment, assignment.annotator, "g", revision=2).save()
    decide = builders.enrolment(study, builders.person("Cleo"), role=Role.ADJUDICATOR)
    seen = list(Judgment.objects.filter(item=first).order_by("pk").values_list("pk", flat=True))
    for revision, adopted in enumerate((None, seen[0]), 1):
        Decision.objects.create(
            item=first, revision=revision, answer={"option": 1}, adopted=adopted, seen=[*seen, 999_999_999],
            reason="“It fits.”", adjudicator=decide, submission=uuid.uuid4(), created=NOW,
        )  # fmt: skip
    Event.objects.create(
        study=study, actor=by, verb="quarantine", data={"item": first.pk, "number": 1, "flags": 2}
    )
    Event.objects.create(study=study, actor=None, verb="expired", data={
        "item": first.pk, "assignment": assignment.pk, "enrolment": assignment.annotator_id,
        "draft": {"note": "dora@x.org"},
    })  # fmt: skip
    Event.objects.create(
        study=study, actor=by, verb="settings", data={"contact": "dora@x.org", "title": "Boats"}
    )
    read_by_machine(study, [{"option": 1}, {"option": 0}, "u", "?"], again=[{"option": 2}])
    erase(study.enrolments.get(user__username="hal"), now=NOW)
    return study


def span(by) -> Study:
    return marked.marked([(7, 10), (8, 9), "n"], [(8, 12), "u", "."], by=by, gold=[(8, 9), "n"])


def spans(by) -> Study:
    return marked.marked([[(7, 9)], [(3, 4), (8, 9)], "n"], [[(8, 9)], "b", "."], by=by, task="spans")


def ordinal(by) -> Study:
    return relevant.judged({("t1", "d1"): "012", ("t1", "d2"): "44u", ("t2", "d1"): "13."}, by=by)


def rubric(by) -> Study:
    """With a stopping rule, and the look that was taken."""
    study = rubrics.answered(["rrw", "rpd", "wu."], by=by)
    study = judged.ruled(study, Rule("type-krippendorff_alpha", 0.05, 2, 1, 3))
    take(study, now=NOW)
    return study


def compared(by) -> Study:
    """With a run that was read in, and a stopping rule that compares readers with it, looked at twice."""
    study = judged.judged(["ggg", "ggx", "xgg", "gxx"] * 3, by=by)
    rows = [{"item": each.digest, "answer": 0} for each in study.items.order_by("number")]
    data = "\n".join(map(json.dumps, rows)).encode()
    import_answers(study, data, "run.jsonl", About("bm25", "A test", "CC0"), by=by, now=NOW)
    rule = Rule(DIFFERENCE, None, 6, 6, 2, spending="pocock", threshold=0.0, run="M1")
    study = judged.ruled(study, rule)
    take(study, now=NOW)
    return study


def undone(by) -> Study:
    """With an answer that was taken back, whose item its reader holds again, and one that was given again."""
    study = marked.marked([(7, 10), (8, 9)], [(8, 12), "u"], by=by, names=["Ada", "Ben"])
    for number, assignment in enumerate(study.assignments.select_related("item", "study")[:2]):
        back = {"outcome": Outcome.TAKEN_BACK, "answer": None, "reason": "", "active_seconds": None}
        for revision, fields in ((2, back), (3, {}))[: number + 1]:
            row = marked.row(assignment, assignment.annotator, (7, 9))
            for name, value in {**fields, "revision": revision}.items():
                setattr(row, name, value)
            row.created = NOW + timedelta(minutes=revision)
            row.save()
        held = {} if number else {"status": "held", "lease_until": NOW + timedelta(hours=1)}
        read = {"source_read": NOW + timedelta(hours=2)} if number else {}
        moment = NOW + timedelta(minutes=2)
        study.assignments.filter(pk=assignment.pk).update(taken_back=moment, **held, **read)
    return study


def draft(by) -> Study:
    return builders.study(by=by, state="draft")


def read_again(study: Study, folder: Path, by) -> Study:
    """Read the data set in, beside the study it was made of: that one gets another name."""
    Study.objects.filter(pk=study.pk).update(slug="first")
    return read_dataset(folder, by)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("made", [choice, span, spans, ordinal, rubric, compared, undone, draft])
def test_X01_a_data_set_read_in_is_written_again_byte_for_byte_and_reports_the_same(made, tmp_path):
    by, reader = builders.researcher("Dora"), builders.researcher("Eve")
    study = made(by)
    write_dataset(study, tmp_path / "one", licence="CC-BY-4.0")
    before = data(report(study, resamples=50, now=NOW))
    again = read_again(study, tmp_path / "one", reader)
    assert data(report(again, resamples=50, now=NOW)) == before
    write_dataset(again, tmp_path / "two")
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert {name: each.decode() for name, each in two.items() if not name.endswith("parquet")} == {
        name: each.decode() for name, each in one.items() if not name.endswith("parquet")
    }
    assert one == two
    assert not again.enrolments.exclude(user=None).exclude(user=reader).exists()
    texts = b"".join(each for name, each in one.items() if not name.endswith("parquet"))
    assert not [word for word in (b"dora", b"Dora", b"Hal", b"Cleo") if word in texts]


@pytest.mark.parametrize(
    ("acts", "rank"),
    [
        ([("build", {"items": 4, "beyond": 2000}), ("build", {"items": 1, "beyond": 1000})], 1000),
        ([("build", {"items": 4, "beyond": 1000}), ("build", {"items": 1})], None),
        (
            [("build", {"items": 4, "beyond": 1000}), ("items out", {"items": 4}), ("build", {"items": 4})],
            None,
        ),
        ([("build", {"items": 0}), ("build", {"items": 4, "beyond": 1000})], 1000),
    ],
)
def test_methods_say_a_rank_where_all_items_were_taken_beyond_one_also_when_read_in(acts, rank, tmp_path):
    study = judged.judged(["gg"], names=["Ada", "Ben"])
    for verb, said in acts:
        study.events.create(verb=verb, data=said)
    assert facts(study, resamples=0).beyond == rank
    write_dataset(study, tmp_path / "one", parquet=False)
    assert facts(read_again(study, tmp_path / "one", None), resamples=0).beyond == rank


def test_judgments_are_stored_in_the_order_in_which_they_came_in(tmp_path):
    """Reports on how a reader's grades drift read them so."""
    study = relevant.judged({("t1", "d1"): "0", ("t1", "d2"): "."}, names=["Ada"])
    first = Judgment.objects.get(item__number=1)
    other = study.assignments.select_related("item", "study").get(item__number=2)
    early = graded.row(other, first.annotator, "4")
    early.created = NOW - timedelta(hours=1)
    early.save()
    write_dataset(study, tmp_path / "one", parquet=False)
    again = read_again(study, tmp_path / "one", None)
    rows = Judgment.objects.filter(item__study=again).order_by("pk")
    assert list(rows.values_list("item__number", flat=True)) == [2, 1]
