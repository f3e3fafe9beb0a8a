"""Items of pools: topic and document as the corpus has them, no rank anywhere, one scale a study."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Item, Judgment, Study
from annotation.tasktypes.scales import SCALES
from evaluation.kinds.ordinal import grades
from retrieval.corpora.models import Corpus, Pool, PoolEntry, Topic, TopicVersion
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool():
    builders.collection()
    return Pool.objects.get()


def build(slug="late", *options, capsys=None):
    call_command("build_relevance", slug, "--corpus", "quays", "--topics", "boats", *options)
    return capsys.readouterr().out if capsys else ""


def test_a_pool_becomes_a_draft_in_the_order_of_the_corpus_and_without_a_rank(pool, capsys):
    assert "Built “late”, a draft with 4 items." in build(capsys=capsys)
    items = list(Item.objects.order_by("number"))
    assert [item.payload["document"]["id"] for item in items] == [f"quay-{n}" for n in range(1, 5)]
    first = items[0]
    assert first.payload == {
        "topic": {
            "id": "1",
            "title": "late boats",
            "description": "When do the boats go out?",
            "narrative": "Any boat.",
            "language": "en",
        },
        "document": {
            "id": "quay-1",
            "text": builders.SENTENCES[0],
            "genre": "criticism",
            "language": "en",
        },
        "scale": SCALES["five"],
    }
    assert (first.group, first.categories, first.gold) == ("1", 5, None)
    assert set(first.provenance) == {"pool", "topic_version", "document", "identity"}
    assert "rank" not in json.dumps([first.payload, first.provenance])


def test_again_it_adds_nothing_and_a_second_pool_adds_what_is_new(pool, capsys):
    build()
    assert "Nothing was new: “late” has all 4 documents of the pool already." in build(capsys=capsys)
    second = Pool.objects.create(corpus=pool.corpus, topics=pool.topics, number=2, depth=9)
    other = Topic.objects.create(topics=pool.topics, number=1, external_id="2")
    TopicVersion.objects.create(topic=other, title="early lamps")
    entry = pool.entries.first()
    for topic in (entry.topic, other):
        PoolEntry.objects.create(pool=second, topic=topic, document=entry.document, best_rank=1, n_runs=1)
    TopicVersion.objects.create(topic=entry.topic, version=3, title="later boats", why="Shorter.")
    said = build(capsys=capsys)
    assert "Added to “late”: 1 item; 1 document of the pool was there before." in said
    assert Item.objects.count() == 5
    assert set(Item.objects.values_list("payload__topic__title", flat=True)) == {"late boats", "early lamps"}


def test_a_pool_of_another_corpus_is_refused_because_its_ids_mean_other_texts(pool):
    build()
    elsewhere = Corpus.objects.create(slug="piers", title="Piers", state="ready", recipe={"name": "piers"})
    Pool.objects.create(corpus=elsewhere, topics=pool.topics, number=1, depth=4)
    with pytest.raises(CommandError, match="are of “boats” in “quays”, this pool is of “boats” in “piers”"):
        call_command("build_relevance", "late", "--corpus", "piers", "--topics", "boats")
    assert Item.objects.count() == 4


def test_a_document_that_is_a_title_only_is_read_as_a_text(pool):
    documents = pool.corpus.documents
    documents.filter(number=0).update(text="", title="A list of boats")
    build()
    assert Item.objects.get(number=1).payload["document"] == {
        "id": "quay-1", "text": "A list of boats", "genre": "criticism", "language": "en",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--pool", "7"], "There is no pool 7 of “boats” in “quays”: there are 1."),
        (["--scale", "ten"], "There is no scale “ten”: use five, trec, binary"),
        (["--scale", "own.json"], "own.json cannot be read"),
    ],
)
def test_what_cannot_be_built_is_said_and_nothing_is_stored(pool, options, sentence):
    with pytest.raises(CommandError, match=sentence):
        build("late", *options)
    assert not Study.objects.exists()


def test_labels_of_ones_own_come_from_a_file(pool, tmp_path):
    file = tmp_path / "own.json"
    grades = [{"label": word, "definition": f"It is {word}."} for word in ("dull", "fair", "bright")]
    file.write_text(json.dumps({"name": "How bright", "grades": grades}))
    build("late", "--scale", str(file), "--highlight")
    assert Item.objects.first().payload["scale"]["grades"] == grades
    assert Item.objects.first().payload["highlight"] is True
    file.write_text(json.dumps({"name": "How bright", "grades": grades[:1]}))
    with pytest.raises(CommandError, match="2 to 10 grades"):
        build("other", "--scale", str(file))


def test_the_scale_of_a_study_stays_and_judgments_are_named(pool, ada, dora):
    build("late", "--scale", "trec")
    for options in (["--scale", "binary"], ["--highlight"]):
        with pytest.raises(CommandError, match=r"have another (scale|highlight): take them out first"):
            build("late", *options)
    build("late", "--scale", "trec")
    study = Study.objects.get()
    me = builders.enrolment(study, ada)
    study.assignments.create(item=study.items.first(), slot=1)
    builders.judgment(study, 1, me, answer={"grade": 2}, order=[])
    with pytest.raises(CommandError, match="“late” cannot change any more: the study has 1 judgment"):
        build("late", "--scale", "five")
    assert {item.categories for item in study.items.all()} == {4}


def test_a_study_of_another_task_is_no_place_for_it(pool):
    builders.study("late", items=0, state="draft", task="grade")
    with pytest.raises(CommandError, match="is a study of the task “grade”, not “relevance”"):
        build()


def items_page(client, study, **sent):
    address = reverse("annotation:setup_items", args=[study.slug])
    return client.post(address, sent) if sent else client.get(address)


def test_the_study_page_offers_pools_and_the_scale_once(pool, as_user, dora):
    study = builders.study("late", items=0, state="draft", task="relevance", by=dora)
    client = as_user(dora)
    page = items_page(client, study).text
    setup = client.get(reverse("annotation:setup", args=[study.slug])).text
    assert "take them from a pool or from a file." in setup
    assert [f'value="{name}"' in page for name in ("five", "trec", "binary")] == [True] * 3
    assert 'name="highlight"' in page
    assert 'name="highlight" checked' not in page
    sent = items_page(client, study, pool=pool.pk, template="trec", highlight="on")
    assert sent.status_code == 302
    assert (study.items.count(), study.items.first().categories) == (4, 4)
    assert study.items.first().payload["highlight"] is True
    page = items_page(client, study)
    assert "4 items added." in page.text
    assert 'id="pool_template' not in page.text, "the scale stays"
    listed = client.get(reverse("annotation:items", args=[study.slug])).text
    # A document without a title is told by its first words: an id may say where it came from.
    assert [f"late boats: {text[:40]}" in listed for text in builders.SENTENCES[:4]] == [True] * 4
    assert "quay-" not in listed
    assert "Printed answers" not in setup, "nobody chooses between texts here"
    nothing = client.get(reverse("annotation:leaks", args=[study.slug])).text
    assert "Readers of this task choose between no texts" in nothing
    assert "never reads" not in client.get(reverse("annotation:study", args=[study.slug])).text
    assert items_page(client, study, pool=pool.pk).status_code == 302
    assert "4 documents of the pool were there before." in items_page(client, study).text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"pool": "77", "template": "five"}, "There is no pool of that number"),
        ({"pool": "", "template": "five"}, "required"),
    ],
)
def test_a_pool_that_is_not_there_is_refused_on_the_page(pool, as_user, dora, sent, words):
    study = builders.study("late", items=0, state="draft", task="relevance", by=dora)
    page = items_page(as_user(dora), study, **sent)
    assert (page.status_code, words in page.text) == (422, True)
    assert study.items.count() == 0


def test_other_tasks_take_no_pool(pool, as_user, dora):
    study = builders.study("late", items=0, state="draft", task="grade", by=dora)
    assert "From a pool" not in items_page(as_user(dora), study).text
    page = items_page(as_user(dora), study, pool=pool.pk)
    assert page.status_code == 422
    assert study.items.count() == 0


def test_simulated_readers_judge_a_pool_without_gold_and_its_grades_are_reported(pool, capsys):
    build()
    call_command("simulate", "late", "--annotators", "3", "--accuracy", "0.8", "--seed", "4")
    judged = Judgment.objects.filter(item__study__slug="late")
    assert judged.count() == 12
    assert {each.answer["grade"] for each in judged} <= set(range(5))
    places = judged.values_list("annotator", "assignment__group_place")
    assert sorted(place for _, place in places) == sorted([1, 2, 3, 4] * 3)
    graded = grades.read(Study.objects.get())
    assert (graded.options, graded.labels[0]) == (5, "Not relevant")


MOST = max(map(len, builders.SENTENCES[:4])) - 1
LONG = [n for n, text in enumerate(builders.SENTENCES[:4], 1) if len(text) > MOST]


def test_a_document_that_is_too_long_is_named_or_left_out_by_choice(pool, as_user, dora, monkeypatch):
    monkeypatch.setattr("annotation.tasktypes.relevance.parts.LONGEST_DOCUMENT", MOST)
    assert 0 < len(LONG) < 4
    with pytest.raises(CommandError, match=f"document quay-{LONG[0]}: .*at most {MOST} fit.*--leave-out"):
        build()
    assert not Study.objects.exists()
    study = builders.study("late", items=0, state="draft", task="relevance", by=dora)
    client = as_user(dora)
    refused = items_page(client, study, pool=pool.pk, template="five")
    assert f"document quay-{LONG[0]}" in refused.text
    items_page(client, study, pool=pool.pk, template="five", leave_out="on")
    said = items_page(client, study).text
    assert f"{4 - len(LONG)} item" in said
    assert all(f"topic 1, document quay-{n}" in said for n in LONG)
    assert study.items.count() == 4 - len(LONG)


def test_the_command_says_what_it_left_out(pool, capsys, monkeypatch):
    monkeypatch.setattr("annotation.tasktypes.relevance.parts.LONGEST_DOCUMENT", MOST)
    said = build("late", "--leave-out", capsys=capsys)
    assert "Left out, since a reader cannot be given" in said
    again = build("late", "--leave-out", capsys=capsys)
    assert f"Nothing was new: “late” has all {4 - len(LONG)} documents of the pool already. Left out" in again
