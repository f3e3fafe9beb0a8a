"""Topics are loaded whole; a changed wording is a version of its own."""

import pytest
from django.core.management import CommandError

from common.errors import BadInput
from retrieval.corpora.loading import topics
from retrieval.corpora.models import Topic, TopicSet, TopicVersion
from tests.builders import researcher
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db


@pytest.fixture
def drinks(written):
    rows = (
        {"_id": n, "text": text, "metadata": {"subset": "a"}} for n, text in enumerate(("gin craze", "ale"))
    )
    said("import_topics", written("queries.jsonl", *rows), "--slug", "drinks", "--title", "Drinks")
    return TopicSet.objects.get()


def test_the_command_loads_topics_with_their_facets(drinks):
    assert (str(drinks), drinks.facets) == ("Drinks", ["subset"])
    rows = [(each.topic.external_id, each.version, each.title) for each in topics.current(drinks)]
    assert rows == [("0", 1, "gin craze"), ("1", 1, "ale")]


def test_loading_again_adds_nothing_and_other_topics_need_another_slug(drinks, written):
    again = written("queries.jsonl", {"_id": 0, "text": "other"})
    with pytest.raises(CommandError, match='Other topics are here as "drinks"'):
        said("import_topics", again, "--slug", "drinks")
    assert Topic.objects.count() == 2
    assert said("import_topics", again, "--slug", "more") == 'Loaded: "more" (more), 1 topic.\n'
    assert said("import_topics", again, "--slug", "more").startswith("Known")


@pytest.mark.parametrize(
    ("name", "rows", "sentence"),
    [
        ("t.tsv", ("1\tgin", "1\tale"), "t.tsv, line 2: the topic '1' is given twice; first on line 1"),
        ("t.tsv", (), "t.tsv holds no topic"),
        ("t.doc", ("1\tgin",), "topics are a .jsonl file, a .tsv table"),
        (
            "t.tsv",
            ("0\tgin", f"1\t{'x' * 5_001}"),
            "t.tsv, line 2: the title has 5,001 characters; 5,000 are the most",
        ),
        (
            "t.tsv",
            ("\t".join(["qid", "query", *map(str, range(21))]), "1\tgin" + "\ta" * 21),
            "has 21 facets",
        ),
        ("t.tsv", ("qid\tquery\tquery", "1\tgin\tale"), "t.tsv, line 1: the head needs"),
        (
            "t.tsv",
            ("id\ttitle\tlanguage", "1\tgin\tEnglish!"),
            "t.tsv, line 2: the language 'English!' is not a tag",
        ),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(written, name, rows, sentence):
    with pytest.raises(CommandError) as refused:
        said("import_topics", written(name, *rows), "--slug", "t")
    assert sentence in str(refused.value)
    assert not TopicSet.objects.exists()


def test_a_topic_is_reworded_by_a_new_version_that_says_who_and_why(drinks):
    topic = Topic.objects.get(external_id="0")
    dora = researcher("Dora")
    version = topics.reword(topic, {"title": "gin epidemic"}, "Nobody said craze then.", dora)
    assert (version.version, version.by, version.facets) == (2, dora, {"subset": "a"})
    assert [each.title for each in topics.current(drinks)] == ["gin epidemic", "ale"]
    assert topic.versions.count() == 2


@pytest.mark.parametrize(
    ("wording", "why", "sentence"),
    [
        ({"title": "new"}, " ", "Say why"),
        ({"title": "gin craze"}, "No reason.", "already says this"),
        ({"title": " "}, "Emptied.", "The title is empty"),
        ({"narrative": "x" * 20_001}, "Longer.", "20,000 are the most"),
    ],
)
def test_a_wording_that_says_nothing_new_is_refused(drinks, wording, why, sentence):
    with pytest.raises(BadInput) as refused:
        topics.reword(Topic.objects.get(external_id="0"), wording, why, None)
    assert sentence in str(refused.value)
    assert TopicVersion.objects.count() == 2


def test_a_version_never_changes(drinks):
    version = TopicVersion.objects.first()
    version.title = "other"
    with pytest.raises(ValueError, match="never changes"):
        version.save()


@pytest.mark.parametrize(
    ("wordings", "sentence"),
    [
        (
            {"a b": {"text": "x"}},
            "line 1: the wording 'a b' needs a name of 1 to 60 letters, digits, - and _",
        ),
        ({"span": {"text": " "}}, "line 1: the wording 'span' has no text"),
        ({"span": {"text": "x", "tokens": "x"}}, "'span' says 'tokens'; it may say text and lemmas"),
        ({"span": "x"}, "line 1: the wording 'span' must be an object of a text and perhaps of lemmas"),
        ({"span": {"text": "x" * 20_001}}, "'span' has more than 20,000 characters"),
        ({f"w{n}": {"text": "x"} for n in range(101)}, "has 101 wordings; 100 are the most"),
    ],
)
def test_wordings_that_are_none_are_refused_with_their_line(written, wordings, sentence):
    file = written("t.jsonl", {"id": "1", "title": "x", "wordings": wordings})
    with pytest.raises(CommandError) as refused:
        said("import_topics", file, "--slug", "t")
    assert sentence in str(refused.value)
    assert not TopicSet.objects.exists()
