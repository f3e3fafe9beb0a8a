"""A system's answers, read in: by command, on a page, by API; refused line by line."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.export import readings
from annotation.machine.imported.storing import About, import_answers
from annotation.models import AnswerFile, Kind, MachineReader, MachineReading
from annotation.studies.build import build_study
from annotation.tasktypes import registry
from common.errors import BadInput
from retrieval.engine.words.kinds import KINDS as KINDS_OF_WORDS
from retrieval.words import tables
from tests import builders
from tests.evaluation.judged import NOW
from tests.evaluation.test_kinds_pages import KINDS, VOTES
from tests.variorum.test_api import script

pytestmark = pytest.mark.django_db
SAID = {"source": "A test", "licence": "CC0"}


def lines(*rows):
    return "\n".join(json.dumps(each) for each in rows).encode()


def taken(study, *rows, name="ranker", data=None):
    about = About(name, SAID["source"], SAID["licence"])
    return import_answers(study, data or lines(*rows), "run.jsonl", about, by=None, now=NOW)


def answers_of(reader):
    return list(reader.readings.order_by("item__number").values_list("answer", flat=True))


@pytest.fixture
def fleet(dora):
    return builders.study(items=3, by=dora)


def test_items_are_named_by_digest_number_and_id_and_answers_by_option_or_scores(fleet):
    first, _, third = fleet.items.order_by("number")
    third.provenance = {"id": "essay-3"}
    third.save()
    made = taken(
        fleet,
        {"item": first.digest, "answer": {"option": 2}},
        {"item": "essay-3", "scores": [0, 2.5, 2.5]},
        {"item": 2, "answer": None, "reason": "The model was silent."},
    )
    assert answers_of(made) == [{"option": 2}, None, {"option": 1}]
    assert (made.name, made.title) == ("M1", "ranker (from a file)")
    kept = made.answer_file
    assert (kept.n_answers, kept.n_tied, kept.form, len(kept.sha256)) == (3, 1, "scores", 64)
    silent = made.readings.get(state="undecided")
    assert silent.reason == "The model was silent."
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AnswerFile.objects.filter(pk=kept.pk).update(licence="none")


WRONG = {
    "is not JSON": b'{"item": 1, "answer"',
    "line 2, field “item”: item 1 has its answer in line 1": lines(
        {"item": 1, "answer": 0}, {"item": 1, "answer": 1}
    ),
    "1 of 3 items have no line (item 3)": lines({"item": 1, "answer": 0}, {"item": 2, "answer": 0}),
    "line 1, field “scores”: entry 1 is nan": b'{"item": 1, "scores": [1, NaN, 2]}',
    "line 1, field “scores”: entry 0 is inf": b'{"item": 1, "scores": [1e999, 0, 2]}',
    "line 1, field “scores”: entry 2 is '7'": b'{"item": 1, "scores": [1, 0, "7"]}',
    "line 1, field “answer.option”: The answer must name one of the options, 0 to 2 (item 1). (2 more": lines(
        *({"item": n, "answer": {"option": 3}} for n in (1, 2, 3))
    ),
    "line 3, field “scores”: has 1 numbers, and the item 3 answers": lines(
        {"item": 1, "answer": 0}, {"item": 2, "answer": 0}, {"item": 3, "scores": [0.4]}
    ),
    "line 1, field “item”: 'x' is no item of “fleet”": lines({"item": "x", "answer": 0}),
    "line 1, field “item”: must be the item’s digest": lines({"item": True, "answer": 0}),
    "line 1, field “answer”: give either": lines({"item": 1}),
    "line 1, field “label”: there is no such field": lines({"item": 1, "label": 2}),
    "is a TREC run": b"q1 Q0 d1 1 3.5 bm25\n",
    "field “reason”": lines({"item": 1, "answer": 0, "reason": "because"}),
    "line 2: is not UTF-8": b'{"item": 1, "answer": 0}\n\xff',
    "holds no line": b"\n",
    "line 1: is not JSON (the field 'item' stands twice)": b'{"item": 1, "item": 2, "answer": 0}\n{}',
    "line 2: is not JSON (the field 'option' stands twice)": b'{"item": 1, "answer": 0}\n'
    b'{"item": 2, "answer": {"option": 0, "option": 1}}',
    "quotation 'q1': stands there twice": b'{"q1": [1, 2], "q1": [2, 1]}',
    "line 1, field “re\\ud800”: there is no such field": b'{"item": 1, "answer": 0, "re\\ud800": 1}',
    f"line 1, field “{'x' * 60}”: there": lines({"item": 1, "answer": 0, "x" * 99: 1}),
    "line 1, field “item”: is named twice": lines({"item": 1, "topic": "q", "document": "d", "answer": 0}),
    "line 1, field “answer.confidence”: an answer of this task has no such field: it has “option”": (
        lines(
            {"item": 1, "answer": {"option": 0, "confidence": 0.9}},
            *({"item": n, "answer": 0} for n in (2, 3)),
        )
    ),
    "line 1, field “item”: must be the": lines({"topic": ["q"], "document": "d", "answer": 0}),
    "holds NUL or a lone surrogate": lines({"item": "a\0b", "answer": 0}),
}


@pytest.mark.parametrize("why", WRONG)
def test_a_wrong_line_refuses_the_file_and_stores_nothing(fleet, why):
    with pytest.raises(BadInput) as refused:
        taken(fleet, data=WRONG[why])
    assert why in str(refused.value)
    assert str(refused.value).startswith("run.jsonl")
    assert not MachineReader.objects.exists()


def test_what_is_no_work_item_of_this_study_is_said(fleet, dora):
    other = builders.study("other", items=1, by=dora)
    practice = builders.item(fleet, 4)
    practice.kind = Kind.PRACTICE
    practice.save()
    for name, why in ((other.items.get().digest, "another study"), (practice.digest, "a practice item")):
        with pytest.raises(BadInput, match=why):
            taken(fleet, {"item": name, "answer": 0})


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\u00ad", "\U000e0041"])
def test_a_name_with_a_character_that_nobody_sees_is_refused(fleet, sign):
    with pytest.raises(BadInput, match=rf"The name holds U\+{ord(sign):04X}, a character that nobody sees"):
        taken(fleet, data=lines(*({"item": n, "answer": 0} for n in (1, 2, 3))), name=f"ran{sign}ker")
    assert not MachineReader.objects.exists()


def test_the_same_name_and_the_same_file_are_refused(fleet):
    rows = [{"item": n, "answer": 0} for n in (1, 2, 3)]
    taken(fleet, *rows)
    with pytest.raises(BadInput, match="already, as M1"):
        taken(fleet, *reversed(rows))
    with pytest.raises(BadInput, match="was read before, as M1"):
        taken(fleet, *rows, name="another")
    assert taken(fleet, *reversed(rows), name="another").name == "M2"


@pytest.mark.parametrize("name", KINDS)
def test_an_answer_of_every_kind_of_data_is_read_by_its_task(name):
    study = KINDS[name].make(VOTES, slug="tried")
    items = list(study.items.select_related("study").order_by("number"))
    golds = [item.gold or study.task_type.example().answer for item in items]
    rows = [{"item": item.digest, "answer": gold} for item, gold in zip(items, golds, strict=True)]
    assert answers_of(taken(study, *rows)) == golds
    with pytest.raises(BadInput, match=r"line 2, field “answer"):
        taken(study, rows[0], {**rows[1], "answer": {"nonsense": [1]}}, *rows[2:], name="another")
    more = {**rows[1]["answer"], "no_such_field": 1}
    with pytest.raises(BadInput, match=r"line 2, field “answer.no_such_field”"):
        taken(study, rows[0], {**rows[1], "answer": more}, *rows[2:], name="another")


def test_a_grade_needs_no_marked_words():
    task = registry.get("relevance")
    payload = {**task.example().payload, "rationale": "required"}
    assert task.from_file(payload, 3) == {"grade": 3}
    assert task.from_file(payload, {"grade": 3}) == {"grade": 3}
    with pytest.raises(ValueError, match="grade"):
        task.from_file(payload, 0.7)


def test_characters_become_tokens_where_they_are_borders_of_words():
    task = registry.get("span")
    payload, gold, *_ = task.example()
    row = task.rows(payload, gold)
    said = {name: row[name] for name in ("start_character", "end_character")}
    assert task.from_file(payload, said) == gold
    with pytest.raises(ValueError, match="ends at character"):
        task.from_file(payload, {**said, "end_character": said["end_character"] - 1})
    for other in ({"start": 0, "end": 1}, {"declined": "no_allusion"}):
        with pytest.raises(ValueError, match="one of the two"):
            task.from_file(payload, {**said, **other})
    assert task.from_file(payload, {**row, "declined": None, "start": None, "end": None}) == gold


def test_of_relics_submission_the_highest_passage_is_the_answer(dora):
    book = builders.book()
    source = builders.source()
    quoted = [builders.excerpt(book, source, first) for first in (3, 6)]
    for number, each in enumerate(quoted):
        each.external_id = f"q{number}"
        each.save()
    job = builders.finished_job(book, quoted)
    study = build_study(slug="gaps", title="Gaps", task="choice", job=job, overlap=1, seed=7, by=dora).study
    items = {item.excerpt.external_id: item for item in study.items.select_related("excerpt")}
    wrong = next(each for each in items["q0"].provenance["options"] if not each["is_gold"])
    lists = {"q0": [99, wrong["first"], 3], "q1": [77, 78], "elsewhere": [1]}
    made = taken(study, data=json.dumps(lists).encode())
    first = made.readings.get(item=items["q0"])
    assert items["q0"].provenance["options"][first.answer["option"]] == wrong
    assert made.readings.get(item=items["q1"]).state == "undecided"
    assert made.answer_file.n_passed_over == 1
    del lists["q1"]
    with pytest.raises(BadInput, match="says nothing of quotation 'q1'"):
        taken(study, data=json.dumps(lists).encode(), name="another")
    with pytest.raises(BadInput, match="none twice"):
        taken(study, data=b'{"q0": [3, 3]}', name="another")


def test_the_command_reads_a_file(fleet, tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_bytes(lines(*({"item": n, "answer": {"option": 0}} for n in (1, 2, 3))))
    out = io.StringIO()
    said = ("--name", "lamp", "--source", "A paper", "--licence", "MIT")
    call_command("import_answers", "fleet", str(file), *said, "--by", "dora", stdout=out, stderr=out)
    assert "M1, lamp (from a file): 3 items" in out.getvalue()
    assert AnswerFile.objects.get().name == "run.jsonl"
    with pytest.raises(CommandError, match="already, as M1"):
        call_command("import_answers", "fleet", str(file), *said, stderr=out)
    rows = list(readings.rows(fleet))
    assert {(row["origin"], row["licence"], row["prompt"]) for row in rows} == {("file", "MIT", None)}


def test_the_page_reads_a_file_and_shows_where_it_came_from(fleet, dora, as_user):
    client, url = as_user(dora), reverse("annotation:import_answers", args=["fleet"])
    assert "Read a system’s answers in" in client.get(reverse("annotation:machines", args=["fleet"])).text
    assert "&quot;option&quot;: 2" in client.get(url).text
    good = lines(*({"item": n, "answer": {"option": 0}} for n in (1, 2, 3)))

    def sent(data, **said):
        file = SimpleUploadedFile("run.jsonl", data)
        return client.post(url, {"file": file, "name": "lamp", **SAID, **said})

    refused = sent(b'{"item": 9, "answer": 0}')
    assert (refused.status_code, "run.jsonl, line 1, field “item”" in refused.text) == (422, True)
    assert "This field is required" in sent(good, licence="").text
    reply = sent(good)
    assert (reply.status_code, reply.url) == (302, "/manage/fleet/machines/M1/")
    shown = client.get(reply.url).text
    assert "A test" in shown
    assert "CC0" in shown
    assert client.post(reply.url, {"start": 1}).status_code == 422
    assert "Read in" in client.get(reverse("annotation:machines", args=["fleet"])).text
    assert client.get(f"{reply.url}readings/").status_code == 200
    assert client.post(f"{reply.url}delete/", {"name": "M1"}).status_code == 302
    assert not MachineReading.objects.exists()


def test_a_script_sends_answers(fleet, dora):
    client, url = script(dora, "machines"), "/api/v1/studies/fleet/machines/answers/"
    said = {"name": "lamp", **SAID, "answers": [{"item": n, "scores": [0, 1, 2]} for n in (1, 2)]}
    refused = client.post(url, said, format="json")
    assert (refused.status_code, "item 3" in str(refused.json())) == (400, True)
    said["answers"].append({"item": 3, "answer": 1})
    made = client.post(url, said, format="json")
    assert (made.status_code, made.json()["file"]["licence"], made.json()["prompt"]) == (201, "CC0", None)
    assert client.get("/api/v1/studies/fleet/machines/M1/").json()["origin"] == "file"
    assert "not asked" in str(client.post("/api/v1/studies/fleet/machines/M1/start/").json())


def test_an_item_that_is_replaced_while_the_file_is_read_refuses_it(fleet):
    rows = [{"item": n, "answer": 0} for n in (1, 2, 3)]

    def replaced(done, total, phase):
        fleet.items.filter(number=2).update(retired=NOW)

    with pytest.raises(BadInput, match="changed while"):
        import_answers(
            fleet, lines(*rows), "r.jsonl", About("lamp", "A", "B"), by=None, now=NOW, progress=replaced
        )
    assert not MachineReader.objects.exists()


def test_answers_are_read_in_a_few_queries(fleet, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        taken(fleet, *({"item": n, "answer": 0} for n in (1, 2, 3)))


@pytest.fixture
def gaps(dora):
    book, source = builders.book(), builders.source()
    job = builders.finished_job(book, [builders.excerpt(book, source, first) for first in (3, 6)])
    return build_study(slug="gaps", title="Gaps", task="choice", job=job, overlap=1, seed=7, by=dora).study


def test_a_ranker_answers_by_the_scores_that_the_job_kept(gaps, dora, as_user):
    client, url = as_user(dora), reverse("annotation:import_answers", args=["gaps"])
    assert "Let bm25 answer" in client.get(url).text
    refused = client.post(url, {"ranker": "lamp"})
    assert (refused.status_code, "are not kept" in refused.text) == (422, True)
    reply = client.post(url, {"ranker": "bm25"})
    assert reply.url == "/manage/gaps/machines/M1/"
    said = client.get(reply.url).text
    assert "bm25 (a ranker of ours)" in said
    assert "bm25, job" in said
    for reading in MachineReading.objects.select_related("item"):
        scores = [option["scores"]["bm25"] for option in reading.item.provenance["options"]]
        assert reading.answer == {"option": scores.index(max(scores))}
    assert "already, as M1" in client.post(url, {"ranker": "bm25"}).text


def test_a_ranker_ranks_anew_what_the_job_has_not_kept(gaps):
    out = io.StringIO()
    call_command("import_answers", "gaps", "--ranker", "bm25", "--set", "k1=1.2", stdout=out, stderr=out)
    kept = AnswerFile.objects.get()
    assert "k1 1.2" in kept.details["parameters"]
    assert (kept.form, kept.n_answers) == ("ranker", 2)
    with pytest.raises(CommandError, match="no ranker called"):
        call_command("import_answers", "gaps", "--ranker", "lamp", stderr=out)
    with pytest.raises(CommandError, match="one of the two"):
        call_command("import_answers", "gaps", stderr=out)


def test_a_ranker_of_words_opens_its_tables(gaps, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    with pytest.raises(CommandError, match="add_words vectors FILE --name NAME"):
        call_command("import_answers", "gaps", "--ranker", "bow-emb", stderr=io.StringIO())
    (tmp_path / "sea.txt").write_text("boats 1 0\nlamps 0 1\nthe .5 .5\n")
    row, _ = tables.add(tmp_path / "sea.txt", KINDS_OF_WORDS["vectors"], "sea")
    call_command("import_answers", "gaps", "--ranker", "bow-emb", stderr=io.StringIO())
    kept = AnswerFile.objects.get()
    assert "vectors sea" in kept.details["parameters"]
    assert kept.details["vectors/sea sha256"] == row.sha256


def test_what_is_not_ranked_is_no_answer_and_no_number(gaps):
    for item, scores in zip(gaps.items.order_by("number"), ((None, 2.5), (None, None)), strict=True):
        for option, score in zip(item.provenance["options"], (*scores, *[None] * 9), strict=False):
            option["scores"] = {"bm25": score}
        item.save(update_fields=["provenance"])
    call_command("import_answers", "gaps", "--ranker", "bm25", stderr=io.StringIO())
    first, second = MachineReading.objects.order_by("item__number")
    assert (first.state, first.answer, second.state) == ("answered", {"option": 1}, "undecided")
    assert "The ranker ranks none" in second.reason
    assert "Infinity" not in first.text + second.text


@pytest.mark.parametrize("name", ["ordinal", "spans", "rubric"])
def test_a_score_is_no_answer_to_other_items(name):
    study = KINDS[name].make(VOTES, slug="tried")
    with pytest.raises(CommandError, match="a score or a rank is no"):
        call_command("import_answers", "tried", "--ranker", "bm25", stderr=io.StringIO())
    assert not study.machine_readers.exists()
