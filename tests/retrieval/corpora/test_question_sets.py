"""Questions from a file of paragraphs to topics with targets: written, refused, edited, exported."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.people.tokens import issue
from common.errors import BadField, BadInput
from evaluation.runs.stored import read_facets
from machines.models import Call
from retrieval.corpora.models import Question, QuestionEdit, QuestionSet, Standing, TopicSet
from retrieval.corpora.reranking import jobs
from retrieval.corpora.reranking.jobs import Limits
from retrieval.models import Status
from retrieval.questions import editing, exporting, sets, writing
from tests.retrieval.corpora import models_asked

pytestmark = pytest.mark.django_db
PARAGRAPHS = (
    {"id": "p1", "source": "d5", "text": "Loud at first [@d1], it was wet later [@d2; d3]."},
    {"id": "p2", "text": "Nobody slept [@d4] or ate [@d1] or sang [@d2]."},
)
ANSWERS = {
    "[CITED], it was wet": "Which account describes a harbour wall that is noisy in early morning?",
    "wet later [CITED]": '{"question": "Who tells how damp the landing place became after dawn?"}',
    "slept [CITED]": "Where is the title 4 at that hour?",
    "ate [CITED]": "Which account describes a harbour wall that is noisy in early mornings?",
    "sang [CITED]": "no question here",
}


@pytest.fixture
def model():
    found = models_asked.registered()
    found.say = lambda words: next(said for mark, said in ANSWERS.items() if mark in words)
    return found


@pytest.fixture
def begun(quay, written):
    facts = {"slug": "asked", "title": "Asked", "most_overlap": 0.5}
    return sets.begin(written("cited.jsonl", *PARAGRAPHS), quay, facts)


def worked(found):
    job = writing.submit(found, "scripted", Limits(calls=50))
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    return job


def standing(found):
    return list(found.questions.order_by("number").values_list("standing", flat=True))


def test_each_mark_is_a_question_that_waits_with_its_targets(begun):
    rows = begun.questions.order_by("number")
    assert [[t.external_id for t in each.targets.order_by("number")] for each in rows] == [
        ["d1"], ["d2", "d3"], ["d4"], ["d1"], ["d2"],
    ]  # fmt: skip
    assert rows[1].paragraph == "Loud at first […], it was wet later [CITED]."
    assert (rows[0].source.external_id, rows[2].source) == ("d5", None)
    assert standing(begun) == [Standing.WAITING] * 5


def test_the_same_file_adds_nothing_and_what_is_wrong_names_its_line(begun, quay, written):
    facts = {"slug": "asked", "title": "Asked"}
    assert sets.begin(written("cited.jsonl", *PARAGRAPHS), quay, facts) == begun
    with pytest.raises(BadField, match="choose another slug"):
        sets.begin(written("other.jsonl", PARAGRAPHS[0]), quay, facts)
    bad = written("bad.jsonl", PARAGRAPHS[0], {"id": "x", "text": "See [@d99]."})
    with pytest.raises(BadInput, match=r"line 2.*'d99' is not in the corpus"):
        sets.begin(bad, quay, {"slug": "bad", "title": "Bad"})
    assert QuestionSet.objects.count() == 1


def test_questions_are_written_checked_and_refused_with_the_reason(begun, model):
    job = worked(begun)
    assert (job.status, job.error, job.done) == (Status.DONE, "", 5)
    assert standing(begun) == ["written", "written", "refused", "refused", "unreadable"]
    assert job.counts == {"waiting": 0, "written": 2, "refused": 2, "unreadable": 1, "left_out": 0}
    rows = begun.questions.order_by("number")
    assert rows[1].text == "Who tells how damp the landing place became after dawn?"
    # Of title, 4 and hour, the title "Title 4" has two; its text has the hour.
    assert (rows[2].overlap, rows[2].overlap_all) == (pytest.approx(2 / 3), 1)
    assert "nearly repeats another question" in rows[3].refused[0]
    assert (rows[0].writer, rows[0].model, len(rows[0].prompt_sha256)) == ("scripted", "hours", 64)
    assert Call.objects.get(pk=rows[1].call).text == ANSWERS["wet later [CITED]"]
    # Four questions, and the fifth asked twice.
    assert len(model.asked) == 6
    assert QuestionEdit.objects.filter(before="", writer="scripted").count() == 4


def test_a_stopped_job_goes_on_where_it_was(begun, model, monkeypatch):
    monkeypatch.setattr(writing, "AT_ONCE", 2)
    job = writing.submit(begun, "scripted", Limits(calls=50))
    jobs.attempt(job.pk, "one", go_on=lambda job: job.done < 2)
    job.refresh_from_db()
    assert job.status == Status.QUEUED
    assert jobs.attempt(job.pk, "two")
    assert standing(begun)[:2] == ["written", "written"]
    assert QuestionEdit.objects.count() == 4
    assert len(model.asked) == 6
    with pytest.raises(BadField, match="waits to be written"):
        writing.submit(begun, "scripted", Limits(calls=50))


def test_what_people_did_while_the_model_was_asked_stays(begun, model, monkeypatch):
    first, second, *_ = begun.questions.order_by("number")

    asked = writing.read_all

    def while_asked(*arguments):
        editing.leave_out(first, "Not ours.", None)
        editing.edit(second, "Who writes of dampness on some landing place at dawn?", "Mine.", None)
        return asked(*arguments)

    monkeypatch.setattr(writing, "read_all", while_asked)
    assert worked(begun).status == Status.DONE
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.standing, first.text) == (Standing.LEFT_OUT, "")
    assert (second.standing, second.text, second.writer) == (
        Standing.WRITTEN, "Who writes of dampness on some landing place at dawn?", "",
    )  # fmt: skip
    assert list(second.edits.values_list("why", flat=True)) == ["Mine."]
    assert standing(begun)[2:4] == ["refused", "written"]


def test_people_edit_keep_and_leave_out_and_every_change_stays(begun, model):
    worked(begun)
    rows = list(begun.questions.order_by("number"))
    changed = editing.edit(rows[2], "Where is  it told how late the boats left?", "No title words.", None)
    assert (changed.text, changed.standing) == ("Where is it told how late the boats left?", "written")
    again = editing.edit(rows[0], "Noisy [3] harbour wall early, which account?", "", None)
    assert (again.standing, again.refused) == ("refused", ["A citation mark is left in it: [3]"])
    assert editing.keep(rows[0], "The bracket is meant.", None).standing == "written"
    assert editing.leave_out(rows[1], "Too vague.", None).standing == "left_out"
    log = list(QuestionEdit.objects.filter(question=rows[0]).values_list("before", "after", "why"))
    assert log[1][:2] == (rows[0].text, again.text)
    assert log[2] == (again.text, again.text, "Refused by rule → Kept: The bracket is meant.")
    with pytest.raises(ValueError, match="never changes"):
        QuestionEdit.objects.first().save()


def test_an_edit_that_is_none_is_refused(begun, model):
    worked(begun)
    first, *_, last = begun.questions.order_by("number")
    for act, sentence in (
        (lambda: editing.edit(first, " ", "", None), "is empty"),
        (lambda: editing.edit(first, first.text, "", None), "says this already"),
        (lambda: editing.edit(first, "x" * 1_001, "", None), "1,000 are the most"),
        (lambda: editing.keep(first, "Good.", None), "stands so already"),
        (lambda: editing.keep(last, "Good.", None), "no words yet"),
        (lambda: editing.leave_out(first, " ", None), "Say why"),
    ):
        with pytest.raises(BadField, match=sentence):
            act()
    assert QuestionEdit.objects.count() == 4


def test_kept_questions_become_topics_with_targets(begun, model):
    worked(begun)
    first, second, third, *_ = begun.questions.order_by("number")
    with pytest.raises(BadInput, match="2 not judged"):
        exporting.export(begun, "questions")
    assert not TopicSet.objects.filter(slug="questions").exists()
    Question.objects.filter(pk=first.pk).update(specificity="specific", quality=2)
    Question.objects.filter(pk=second.pk).update(specificity="broad", quality=1)
    Question.objects.filter(pk=third.pk).update(specificity="too_general", standing="written")
    editing.edit(second, "Who tells how damp the quay stones became after dawn?", "Clearer.", None)
    made = exporting.export(begun, "questions", "targets")
    assert made.in_words() == '2 topics as "questions", targets as "targets"; 1 left out: too general.'
    assert made.topics.facets == ["origin", "quality", "specificity", "subset", "written"]
    grades = made.qrels.grades.order_by("topic__number", "document__number")
    assert list(grades.values_list("topic__external_id", "document__external_id", "grade")) == [
        ("q1", "d1", 1), ("q2", "d2", 1), ("q2", "d3", 1),
    ]  # fmt: skip
    assert read_facets(made.topics, "subset") == {"q1": "inline, specific", "q2": "inline, broad"}
    assert read_facets(made.topics, "written") == {"q1": "model", "q2": "model, edited by people"}
    first.refresh_from_db()
    assert first.topic.external_id == "q1"
    with pytest.raises(BadField, match="choose another"):
        exporting.export(begun, "questions")


def test_a_file_of_all_questions_has_what_was_left_out_and_why(begun, model):
    worked(begun)
    rows = [json.loads(json.dumps(each)) for each in exporting.rows(begun)]
    assert [each["standing"] for each in rows] == standing(begun)
    assert rows[0]["source"] == "d5"
    assert rows[3]["refused"]
    assert rows[0]["edits"][0]["after"] == rows[0]["question"]
    assert not any("by" in edit for each in rows for edit in each["edits"])


def test_questions_of_authors_are_checked_at_once_and_nobody_is_asked(quay, written):
    rows = [
        {"id": "a1", "question": "Who tells how damp the landing place  was?", "targets": ["d1"]},
        {"id": "a2", "question": "Who tells how damp the landing places was?", "targets": ["d2", 2]},
    ]
    facts = {"slug": "authors", "title": "Authors", "origin": "author"}
    with pytest.raises(BadInput, match=r"line 2.*'2' is not in the corpus"):
        sets.begin(written("a.jsonl", *rows), quay, facts)
    rows[1]["targets"] = ["d2"]
    found = sets.begin(written("a.jsonl", *rows), quay, facts)
    assert standing(found) == ["written", "refused"]
    first = found.questions.get(number=1)
    assert (first.text, first.writer, first.paragraph) == (
        "Who tells how damp the landing place was?",
        "",
        "",
    )
    assert exporting.facets(first) == {"origin": "author", "written": "people"}
    with pytest.raises(BadInput, match='no "targets"'):
        sets.begin(written("b.jsonl", {"id": "x", "question": "Who?"}), quay, facts | {"slug": "b"})


def test_scripts_begin_a_set_from_a_files_text(quay, as_user, dora):
    def key(scope):
        _, plain = issue(dora, "script", [scope], timezone.now() + timedelta(days=1))
        return {"HTTP_AUTHORIZATION": f"Bearer {plain}"}

    address = f"/api/v1/corpora/{quay.slug}/question-sets/"
    text = "\n".join(map(json.dumps, PARAGRAPHS))

    def post(**more):
        body = {"slug": "asked", "file": text, **more}
        return Client().post(address, body, content_type="application/json", **key("machines"))

    wrong = json.dumps({"id": "x", "text": "See [@d99]."})
    for more, field, why in (
        ({"file": f"{text}\n{wrong}"}, "file", "line 3"),
        ({"file": ""}, "file", "blank"),
        ({"most_overlap": 2}, "most_overlap", "a share, 0 to 1, not 2.0"),
        ({"most_overlap": True}, "most_overlap", "valid number"),
        ({"origin": "elsewhere"}, "origin", "valid choice"),
        ({"paragraphs": text}, "paragraphs", "Unknown field"),
    ):
        reply = post(**more)
        assert (reply.status_code, why in str(reply.json().get(field))) == (400, True), reply.json()
    assert not QuestionSet.objects.exists()
    made = post()
    assert (made.status_code, made.json()["n_questions"], made.json()["title"]) == (201, 5, "asked")
    assert (post().status_code, QuestionSet.objects.count(), QuestionSet.objects.get().created_by) == (
        201, 1, dora,
    )  # fmt: skip
    other = post(file=json.dumps(PARAGRAPHS[0]))
    assert "choose another slug" in str(other.json()["slug"])
    listed = as_user(dora).get(address).json()["results"]
    assert [(each["slug"], each["origin"], each["topics"]) for each in listed] == [("asked", "inline", None)]
    assert Client().post(address, {}, **key("corpora")).status_code == 403
