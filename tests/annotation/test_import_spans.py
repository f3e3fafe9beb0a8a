"""import_spans: a file of span items into a draft; what is refused names file, line and field."""

import json
from hashlib import sha256
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.items.payloads import FileItem, add_payloads
from annotation.models import Enrolment, Event, Item, Judgment, Study
from annotation.people import enrolments
from annotation.simulate import simulate
from annotation.studies.build import build_study
from annotation.studies.lifecycle import open_study
from annotation.tasktypes.span import Span
from common.errors import BadInput
from tests import builders

TEXT = "Osculum plane pacis, sed dilectio illa supereminet omni scientiae."
LINE = {
    "id": "one",
    "text": TEXT,
    "language": "la",
    "anchor": "scientiae",
    "references": [{"citation": "Eph 3:19", "text": "supereminentem scientiae caritatem", "language": "la"}],
    "gold": "sed dilectio illa supereminet omni scientiae",
}


def line(**change):
    return {**{key: value for key, value in LINE.items() if change.get(key, 0) is not None}, **change}


@pytest.fixture
def load(db, tmp_path):
    def run(*lines, study="sermon", more=()):
        path = tmp_path / "items.jsonl"
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        path.write_text("\n".join(texts), "utf-8")
        out = StringIO()
        call_command("import_spans", study, str(path), *more, stdout=out)
        return out.getvalue()

    return run


def test_a_file_becomes_a_draft_with_words_found_and_tokens_made(load, dora, tmp_path):
    guidelines = tmp_path / "told.txt"
    guidelines.write_text("Mark the shortest run.", "utf-8")
    more = ["--title", "Bernard", "--researcher", "dora", "--guidelines", guidelines, "--overlap", "2"]
    out = load(LINE, "", line(id="two", anchor=None, gold=None), more=more)
    assert "Built “sermon”, a draft with 2 items." in out
    study = Study.objects.get()
    assert (study.task, study.title, study.overlap, study.state, study.job) == (
        "span",
        "Bernard",
        2,
        "draft",
        None,
    )
    assert study.guidelines.get().text == "Mark the shortest run."
    one, two = study.items.all()
    assert one.payload["sha256"] == sha256(TEXT.encode()).hexdigest()
    assert one.payload["anchor"] == [9, 10]
    assert one.gold == {"start": 4, "end": 10}
    assert (two.payload["anchor"], two.gold) == (None, None)
    assert (one.provenance, two.provenance) == ({"id": "one"}, {"id": "two"})
    assert Event.objects.filter(verb="build").get().data == {"file": "items.jsonl", "items": 2}


def test_I05_again_adds_nothing_and_a_longer_file_adds_the_rest(load):
    load(LINE)
    assert "Nothing was new: “sermon” has all 1 items already." in load(LINE)
    out = load(LINE, line(id="two", anchor="pacis", gold=None))
    assert "Added 1 item to “sermon”; 1 was there before." in out
    assert list(Item.objects.values_list("number", flat=True)) == [1, 2]


def test_an_open_study_takes_nothing_new(load, ada):
    load(LINE, more=["--overlap", "1"])
    study = Study.objects.get()
    enrolments.enrol(study, ada, "annotator")
    open_study(study, by=None, now=timezone.now())
    assert "Nothing was new" in load(LINE)
    with pytest.raises(CommandError, match="1 of these items are new, and “sermon” is open"):
        load(LINE, line(id="two", anchor="pacis", gold=None))


TOKENS = [
    [0, 7],
    [8, 13],
    [14, 19],
    [19, 20],
    [21, 24],
    [25, 33],
    [34, 38],
    [39, 50],
    [51, 55],
    [56, 65],
    [65, 66],
]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("{", "items.jsonl, line 2: is not JSON"),
        ("[1]", "line 2: must be a JSON object"),
        ('{"id": 1, "id": 2}', "line 2: is not JSON .the field 'id' stands twice"),
        ('{"text": NaN}', "line 2: is not JSON .NaN is no number"),
        (line(label="x"), "line 2, field “label”: there is no such field"),
        (line(text=None), "line 2, field “text”: “text” must be a text"),
        ('{"text": "a\\u0000b"}', "line 2, field “text”: .* NUL"),
        ('{"text": "a\\ud800b"}', "line 2, field “text”: .* lone surrogate"),
        (line(language=None), "line 2, field “language”: Missing field"),
        (line(references=None), "line 2, field “references”: Missing field"),
        (line(sha256="0"), "line 2, field “sha256”: “sha256” is not that of the text"),
        (line(tokens=TOKENS, anchor=[9, 10]), "line 2, field “sha256”: Offsets need the sha256"),
        (line(anchor="illud"), "line 2, field “anchor”: 'illud' stands nowhere"),
        (line(anchor="scien"), "line 2, field “anchor”: 'scien' stands nowhere"),
        (line(anchor=[9, 12]), "line 2, field “anchor”: .* within 0 and 11"),
        (line(gold="sed dilectio"), "line 2, field “gold”: The span must contain the anchor"),
        (line(gold={"start": 5, "end": 4}), "line 2, field “gold”: .* reversed"),
        (line(gold=4), "line 2, field “gold”: must be"),
        (line(gold={"declined": "perhaps"}), "line 2, field “gold”: "),
        (line(kind="test"), "line 2, field “kind”: must be one of work"),
        (line(id=7), "line 2, field “id”: "),
        (LINE, "line 2: the same item as items.jsonl, line 1"),
        (line(gold=None, anchor="pacis"), "line 2, field “id”: “one” is the id of another item"),
        (line(lemmata=["osculum"]), "line 2, field “lemmata”: .* one for each token .11."),
    ],
)
def test_I05_one_wrong_line_names_its_place_and_nothing_is_stored(load, wrong, sentence):
    with pytest.raises(CommandError, match=sentence):
        load(LINE, wrong, line(id="three", anchor="pacis", gold=None))
    assert not Study.objects.exists()


def test_a_word_that_stands_twice_must_be_placed_by_numbers(load):
    with pytest.raises(CommandError, match="'pax' stands 2 times in the text as whole words"):
        load(line(text="pax et pax", anchor="pax", gold=None))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [(b"\n\xff\n", "items.jsonl, line 2: is not UTF-8"), (b"\n \n", "items.jsonl holds no item")],
)
def test_a_file_that_is_none(db, tmp_path, data, sentence):
    path = tmp_path / "items.jsonl"
    path.write_bytes(data)
    with pytest.raises(CommandError, match=sentence):
        call_command("import_spans", "sermon", str(path))
    assert not Study.objects.exists()


def test_a_study_of_another_task_and_a_file_that_is_not_there(load):
    builders.study("fleet")
    with pytest.raises(CommandError, match="“fleet” is a study of the task “choice”"):
        load(LINE, study="fleet")
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("import_spans", "sermon", "/nowhere/at/all.jsonl")
    with pytest.raises(CommandError, match="no user 'nobody'"):
        load(LINE, more=["--researcher", "nobody"])
    with pytest.raises(CommandError, match="overlap cannot be 0"):
        load(LINE, more=["--overlap", "0"])


@pytest.mark.parametrize("name", ["one", "1", "1e3", "true"])
def test_an_id_keeps_its_content_from_run_to_run(load, name):
    load(line(id=name))
    with pytest.raises(CommandError, match=f"line 1, field “id”: “{name}” is the id of another item"):
        load(line(id=name, anchor="pacis", gold=None))
    assert Item.objects.count() == 1


def test_entries_of_any_type_can_be_added_without_a_file(db):
    study = builders.study(items=1, state="draft")
    payload = {**study.items.get().payload, "citation": "Critic 1912"}
    assert add_payloads(study, [FileItem("here", payload)], by=None).new == 1
    with pytest.raises(BadInput, match="there, field “options”: "):
        add_payloads(study, [FileItem("there", {**payload, "options": ["one"]})], by=None)
    assert study.items.count() == 2


def test_span_items_are_not_built_from_candidates(db):
    book = builders.book()
    job = builders.finished_job(book, [builders.excerpt(book, builders.source())])
    with pytest.raises(BadInput, match="are not made of candidates: load them from a file"):
        build_study(slug="x", title="x", task="span", job=job, overlap=1, seed=1, by=None)


@pytest.fixture
def place(load, ada):
    load(LINE, more=["--overlap", "1"])
    study = Study.objects.get()
    me = enrolments.enrol(study, ada, "annotator")
    open_study(study, by=None, now=timezone.now())
    return next_assignment(me, now=timezone.now())


def judge(client, place, **data):
    form = {"submission": "6c0e4b6e-0c62-4a0f-9a53-1d1c1e8f8f11", "revision": "0", "active_seconds": "3"}
    return client.post(place.get_absolute_url(), {**form, "first": "", "last": "", **data})


def test_the_page_shows_the_passage_with_its_reference_and_asks_for_borders(as_user, ada, place):
    page = as_user(ada).get(place.get_absolute_url()).content.decode()
    for shown in ("Eph 3:19", "supereminentem scientiae caritatem", 'data-anchor="9 10"', "No allusion here"):
        assert shown in page
    assert "Can’t set the borders" in page
    for border in ("start", "end"):
        assert f'id="{border}-{place.pk}" min="0" max="10"' in page
    assert "<mark>" not in page, "nothing is marked for the reader"


@pytest.mark.parametrize(
    ("data", "outcome", "answer", "reason"),
    [
        ({"first": "5", "last": "10"}, "answer", {"start": 4, "end": 10}, ""),
        ({"declined": "no_allusion"}, "answer", {"declined": "no_allusion"}, ""),
        ({"undecided": "It has no clear end"}, "undecided", None, "It has no clear end"),
        ({"first": "5", "last": "10", "undecided": "", "other": "Ironic"}, "undecided", None, "Ironic"),
    ],
)
def test_each_answer_is_stored_as_what_it_is(as_user, ada, place, data, outcome, answer, reason):
    assert judge(as_user(ada), place, **data).status_code == 302
    stored = Judgment.objects.get()
    assert (stored.outcome, stored.answer, stored.reason) == (outcome, answer, reason)
    page = as_user(ada).get(place.get_absolute_url()).content.decode()
    assert ("<mark>" in page) == ("start" in (answer or {}))
    assert ("is your answer so far" in page) == (answer == {"declined": "no_allusion"})
    done = as_user(ada).get("/studies/sermon/done/").content.decode()
    assert reason in done
    if answer:
        assert ("sed dilectio" if "start" in answer else "No allusion here") in done


@pytest.mark.parametrize(
    ("data", "link"),
    [
        ({}, "first"),
        ({"first": "5"}, "last"),
        ({"first": "1", "last": "2"}, "last"),
        ({"first": "10", "last": "5"}, "last"),
        ({"first": "11", "last": "11"}, "first"),
        ({"first": "1", "last": "12"}, "last"),
    ],
)
def test_a_form_that_breaks_the_rule_is_shown_again_and_nothing_is_stored(as_user, ada, place, data, link):
    reply = judge(as_user(ada), place, **data)
    assert reply.status_code == 422
    page = reply.content.decode()
    assert f'href="#{link}-{place.pk}"' in page
    assert f'id="{link}-{place.pk}"' in page
    assert not Judgment.objects.exists()


def test_simulated_readers_need_no_gold_here(load):
    load(LINE, line(id="two", anchor=None, gold=None), more=["--overlap", "2"])
    simulate(Study.objects.get(), annotators=2, accuracy=0.5, seed=3)
    assert Judgment.objects.filter(channel="simulation").count() == 4
    task = Span()
    for each in Judgment.objects.select_related("assignment__item"):
        assert task.check_answer(each.assignment.item.payload, each.answer) == each.answer
    assert Enrolment.objects.filter(simulated=True).count() == 2


def test_researchers_see_anchor_gold_and_answers(load, dora, as_user):
    load(LINE, more=["--researcher", "dora"])
    page = as_user(dora).get("/manage/sermon/items/1/").content.decode()
    assert "tokens [9, 10) of 11" in page
    assert "marked in the passage, tokens [4, 10)" in page
    assert "<mark><span>sed</span>" in page
